import CHiredis

/// What answers may cost, whoever gives them.
///
/// hiredis takes room for a list as soon as it reads how many elements it is to have: 13 bytes would
/// cost 16 GiB of address space, and many seconds of a processor until they are given back.
@safe
enum ReplyBudget {
  /// The most elements of a list; the longest lists that are asked for have some thousands.
  private static let mostElements = 1 << 20

  /// The most bytes of the answers to commands that are sent together.
  static let mostBytes = 64 << 20

  /// Why an answer beyond either is not taken.
  static let words = "its answer is longer than any of Redis's that was asked for"

  private static let original = Result { () throws(RedisError) -> redisReplyObjectFunctions in
    let library = unsafe try LibHiredis.functions()
    guard let reader = unsafe library.pointee.redisReaderCreate() else {
      throw RedisError(.unusable, "memory is short")
    }
    defer { unsafe library.pointee.redisReaderFree(reader) }
    return unsafe reader.pointee.fn.pointee
  }

  // Never written again once it is made; hiredis only reads it.
  private nonisolated(unsafe) static let bounded = unsafe Result {
    () throws(RedisError) -> UnsafeMutablePointer<redisReplyObjectFunctions> in
    var functions = try original.get()
    unsafe functions.createArray = { task, count in
      guard count <= ReplyBudget.mostElements else { return nil }
      return unsafe (try? ReplyBudget.original.get())?.createArray(task, count)
    }
    let table = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)
    unsafe table.initialize(to: functions)
    return unsafe table
  }

  /// The functions that build replies: hiredis's own, except that a list that is too long fails as if
  /// memory were short.
  ///
  /// - Throws: ``RedisError`` where hiredis cannot be used.
  static func functions() throws(RedisError) -> UnsafeMutablePointer<redisReplyObjectFunctions> {
    unsafe try bounded.get()
  }
}
