/// What the server does in one step: it compares and sets, and decides nothing.
///
/// A key that holds another kind of value than Sonde's counts as absent and is replaced. Redis refuses
/// commands that may need memory where it has none, but not within a script that has written before:
/// rows of the quota, which replace others of their size, are written behind a `PERSIST` that changes
/// nothing; answers are not.
enum SharedScript: CaseIterable {
  /// Sets a row if it holds what is expected, and tells the time.
  ///
  /// Who comes too late has the next turn, for a moment, so that nobody is too late again and again.
  /// The salt is set where it is missing, so that all who knew it go on naming rows alike. Where there
  /// is no row, it tells for how many milliseconds yet the server counts as emptied a moment ago.
  case exchange
  /// Sets the salt of an empty server, and tries whether all kinds of keys may be written.
  case enter
  /// Removes a row that is damaged, as if the server had been emptied.
  case discard
  /// Keeps answers, and notes when each came.
  case save
  /// Keeps what sources have found.
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
      // The time is for the whole hash; that of each text stands in it.
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

  /// Removes a key that holds another kind of value; tells whether it did not.
  private static let own = """
    local function own(key, kind)
      local found = redis.call('TYPE', key).ok
      if found == kind or found == 'none' then return true end
      redis.call('DEL', key)
      return false
    end

    """
}
