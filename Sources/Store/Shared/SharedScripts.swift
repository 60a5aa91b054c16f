/// What the server does in one step: it compares and sets, and decides nothing.
enum SharedScript: CaseIterable {
  /// Sets a row if it holds what is expected, and tells the time.
  ///
  /// Who comes too late has the next turn, for a moment, so that nobody is too late again and again.
  /// The salt is set where it is missing, so that all who knew it go on naming rows alike. Where there
  /// is no row, it tells for how many milliseconds yet the server counts as emptied a moment ago.
  case exchange
  /// Sets the salt of an empty server.
  case enter
  /// Keeps answers, and notes when each came.
  case save

  /// The script, in Lua.
  var text: String {
    switch self {
    case .exchange:
      """
      local time = redis.call('TIME')
      local salt = redis.call('GET', KEYS[1])
      if not salt then
        salt = ARGV[1]
        redis.call('SET', KEYS[1], salt)
        redis.call('SET', KEYS[4], '', 'PX', ARGV[7])
      end
      if salt ~= ARGV[1] then return {2, salt, time[1], time[2], 0} end
      local row = redis.call('GET', KEYS[2]) or ''
      local quiet = row == '' and redis.call('PTTL', KEYS[4]) or 0
      local turn = redis.call('GET', KEYS[3])
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
      """
      if redis.call('SET', KEYS[1], ARGV[1], 'NX') then
        redis.call('SET', KEYS[2], '', 'PX', ARGV[2])
      end
      return redis.call('GET', KEYS[1])
      """
    case .save:
      """
      local time = redis.call('TIME')
      local now = time[1] * 1000000 + time[2]
      redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
      for i = 3, #KEYS do
        redis.call('HSET', KEYS[i], ARGV[1], ARGV[2 * i - 1])
        redis.call('PEXPIRE', KEYS[i], ARGV[3])
        redis.call('ZADD', KEYS[1], string.format('%.0f', now + i), ARGV[2 * i - 2])
      end
      redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ARGV[3] * 1000))
      return #KEYS - 2
      """
    }
  }
}
