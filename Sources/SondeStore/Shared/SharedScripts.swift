/// The atomic operations of the server, which only compare and set.
///
/// A key with another type of value than Sonde's counts as missing and is replaced. Redis refuses
/// commands that may need memory if it has none, except in a script that has already written. So
/// rows of the quota, which replace others of equal size, are written after a `PERSIST` that
/// changes nothing; answers are not.
enum SharedScript: CaseIterable {
  /// Sets a row if it has the expected value, and returns the time.
  ///
  /// A process that comes too late gets the next turn, for a moment, so that none is always too
  /// late. The salt is set if it is missing, so that all processes that knew it continue to use the
  /// same names. Without a row, it returns for how many milliseconds the server still counts as
  /// recently emptied.
  case exchange
  /// Sets the salt of an empty server, and tests whether all kinds of keys can be written.
  case enter
  /// Removes a damaged row, as if the server had been emptied.
  case discard
  /// Stores answers and their arrival times.
  case save
  /// Stores texts found by sources.
  case keep

  /// The script, in Lua.
  var text: String {
    switch self {
    case .exchange:
      Self.own + """
        redis.call('PERSIST', KEYS[1])
        local time = redis.call('TIME')
        local salt = own(KEYS[1], 'string') and redis.call('GET', KEYS[1])
        if not salt or #salt ~= 16 then
          salt = ARGV[1]
          redis.call('SET', KEYS[1], salt)
          redis.call('SET', KEYS[4], '', 'PX', ARGV[7])
        end
        if salt ~= ARGV[1] then return {2, salt, time[1], time[2], 0} end
        if not own(KEYS[2], 'string') then redis.call('SET', KEYS[4], '', 'PX', ARGV[7]) end
        local row = redis.call('GET', KEYS[2]) or ''
        local quiet = row == '' and redis.call('PTTL', KEYS[4]) or 0
        local turn = own(KEYS[3], 'string') and redis.call('GET', KEYS[3])
        if row ~= ARGV[2] or turn and turn ~= ARGV[5] then
          if not turn then
            turn = ARGV[5]
            redis.call('SET', KEYS[3], turn, 'PX', ARGV[6])
          end
          return {turn == ARGV[5] and 0 or 3, row, time[1], time[2], quiet}
        end
        if turn then redis.call('DEL', KEYS[3]) end
        if ARGV[3] == '' then
          redis.call('DEL', KEYS[2])
        elseif row ~= ARGV[3] then
          redis.call('SET', KEYS[2], ARGV[3], 'PX', ARGV[4])
        end
        return {1, '', time[1], time[2], 0}
        """
    case .enter:
      Self.own + """
        redis.call('PERSIST', KEYS[1])
        redis.call('SET', KEYS[3], '', 'PX', ARGV[2])
        for i = 3, 5 do redis.call('DEL', KEYS[i]) end
        for i = 4, 5 do
          redis.call('HSET', KEYS[i], '', '')
          redis.call('PEXPIRE', KEYS[i], ARGV[2])
          redis.call('HGETALL', KEYS[i])
          redis.call('DEL', KEYS[i])
        end
        own(KEYS[6], 'zset')
        redis.call('ZADD', KEYS[6], '0', '')
        redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', '+inf')
        redis.call('PTTL', KEYS[2])
        local salt = own(KEYS[1], 'string') and redis.call('GET', KEYS[1])
        if not salt or #salt ~= 16 then
          salt = ARGV[1]
          redis.call('SET', KEYS[1], salt)
          redis.call('SET', KEYS[2], '', 'PX', ARGV[2])
        end
        return salt
        """
    case .discard:
      """
      if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
      redis.call('DEL', KEYS[1])
      redis.call('SET', KEYS[2], '', 'PX', ARGV[2])
      return 1
      """
    case .save:
      Self.own + """
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]
        own(KEYS[1], 'zset')
        own(KEYS[2], 'hash')
        redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
        for i = 3, #KEYS do
          own(KEYS[i], 'hash')
          redis.call('HSET', KEYS[i], ARGV[1], ARGV[2 * i - 1])
          redis.call('PEXPIRE', KEYS[i], ARGV[3])
          redis.call('ZADD', KEYS[1], string.format('%.0f', now + i), ARGV[2 * i - 2])
        end
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[3] * 1000))
        return #KEYS - 2
        """
    case .keep:
      // The lifetime applies to the whole hash; each text has its own.
      Self.own + """
        for i = 1, #KEYS do
          own(KEYS[i], 'hash')
          redis.call('HSET', KEYS[i], ARGV[1], ARGV[i + 2])
          redis.call('PEXPIRE', KEYS[i], ARGV[2])
        end
        return #KEYS
        """
    }
  }

  /// Removes a key with another type of value; returns whether it had Sonde's.
  private static let own = """
    local function own(key, kind)
      local found = redis.call('TYPE', key).ok
      if found == kind or found == 'none' then return true end
      redis.call('DEL', key)
      return false
    end

    """
}
