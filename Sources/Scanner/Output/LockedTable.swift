import SQLite
public import System

/// What is done while another program has a database locked.
public struct LockedTable: Sendable {
  private let report: @Sendable (String) -> Void
  private let interruption: Interruption?

  /// Waits for as long as it takes.
  ///
  /// - Parameters:
  ///   - interruption: Ends the wait; `nil` waits until the lock is gone.
  ///   - report: Takes the words for the beginning and the end of a wait.
  public init(
    endedBy interruption: Interruption? = nil,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (self.interruption, self.report) = (interruption, report)
  }

  /// Repeats a call that fails because of the lock.
  ///
  /// - Parameters:
  ///   - name: What a person calls the database.
  ///   - body: The call, which waits a while by itself.
  /// - Returns: What it returned.
  /// - Throws: `SQLiteError`, one of the lock only when the wait was ended.
  func run<R>(_ name: String, _ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
    var start: Duration?
    while true {
      let begin = Clocks.steady
      do throws(SQLiteError) {
        let result = try body()
        if let start {
          report(
            "\(name) is no longer locked, after \((Clocks.steady - start).components.seconds) s"
          )
        }
        return result
      } catch {
        guard error.kind == .busy, interruption?.isOver != true else { throw error }
        if start == nil { report("\(name) is locked by another program: waiting for it") }
        start = start ?? begin
      }
    }
  }
}
