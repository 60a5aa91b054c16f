import CSondeHiredis

/// Limits the memory of answers from untrusted servers.
///
/// hiredis allocates a list as soon as it reads the number of its elements: 13 bytes could cost 16
/// GiB of address space, and many seconds to free it.
@safe
enum ReplyBudget {
  /// The largest number of list elements in the answers to commands sent together; the longest
  /// expected lists have some thousands.
  static let mostElements = 1 << 20

  /// The largest size of the answers to commands sent together, in bytes.
  static let mostBytes = 64 << 20

  /// The error for an answer beyond a limit.
  static let words = "its answer is longer than any of Redis's that was asked for"

  private static let original = Result { () throws(RedisError) -> redisReplyObjectFunctions in
    let library = unsafe try LibHiredis.functions()
    guard let reader = unsafe library.pointee.redisReaderCreate() else {
      throw RedisError(.unusable, "memory is short")
    }
    defer { unsafe library.pointee.redisReaderFree(reader) }
    return unsafe reader.pointee.fn.pointee
  }

  // Never written after its creation; hiredis only reads it.
  private nonisolated(unsafe) static let bounded = unsafe Result {
    () throws(RedisError) -> UnsafeMutablePointer<redisReplyObjectFunctions> in
    var functions = try original.get()
    unsafe functions.createArray = { task, count in
      // The reader's remaining number of elements.
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

  /// Returns the functions that build replies, or fails if hiredis is unusable.
  ///
  /// They are hiredis's own, except that lists with too many elements fail as if memory were short.
  /// A reader's `privdata` points to the remaining number of elements.
  static func functions() throws(RedisError) -> UnsafeMutablePointer<redisReplyObjectFunctions> {
    unsafe try bounded.get()
  }
}
