/// Where the bytes of records go: a file or pipe, or a table of a database.
public protocol RecordSink: Actor {
  /// What a person calls it.
  nonisolated var name: String { get }

  /// Throws away what is in it, if it is not appended to.
  func empty() throws(OutputError)

  /// Takes the file away if opening it has made it.
  func discard()

  /// Writes whole records, all of them or none.
  func write(_ bytes: [UInt8]) throws(OutputError)

  /// Makes what is written outlast the process; of a file or pipe that is so already.
  func commit() throws(OutputError)

  /// Waits until everything is on the disk, and then does something more.
  func sync(then settle: @Sendable () throws(OutputError) -> Void) throws(OutputError)

  /// Ends writing; nothing more comes.
  func end() throws(OutputError)
}

extension Sink: RecordSink {
  /// What is written outlasts the process.
  public func commit() {}

  /// There is nothing to end.
  public func end() {}
}
