import CSondeHiredis

/// What answers may cost, whoever gives them.
///
/// hiredis takes room for a list as soon as it reads how many elements it is to have: 13 bytes would
/// cost 16 GiB of address space, and many seconds of a processor until they are given back.
@safe
enum ReplyBudget {
  /// The most elements of all lists in the answers to commands that are sent together; the longest
  /// lists that are asked for have some thousands.
  static let mostElements = 1 << 20

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
      // The reader's own count of what is left.
      if let left = unsafe task?.pointee.privdata?.assumingMemoryBound(to: Int.self) {
        unsafe left.pointee -= Int(count)
        guard unsafe left.pointee >= 0 else { return nil }
      }
      return unsafe (try? ReplyBudget.original.get())?.createArray(task, count)
    }
    let table = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)
    unsafe table.initialize(to: functions)
    return unsafe table
  }

  /// The functions that build replies.
  ///
  /// They are hiredis's own, except that lists with too many elements fail as if memory were short. A
  /// reader's `privdata` points to how many elements are left.
  /// - Throws: ``RedisError`` where hiredis cannot be used.
  static func functions() throws(RedisError) -> UnsafeMutablePointer<redisReplyObjectFunctions> {
    unsafe try bounded.get()
  }
}
