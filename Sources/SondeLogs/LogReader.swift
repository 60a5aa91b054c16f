package import SondeInputs
import SondeSystem
import Synchronization

/// Reads texts, finds their addresses on all processors, and delivers the results in order.
///
/// All queues are bounded: a slow consumer slows the search. Separate threads read and search, so
/// that waiting for a pipe occupies no thread of the shared pool.
package final class LogReader<Output: Sendable>: Sendable {
  /// The result of a slice, a literal, or an unreadable input.
  package struct Element: Sendable {
    package let step: LogSource.Step
    /// The output for the slice's text; `nil` if there was none.
    package let output: Output?
    /// Whether the slice ends within a line.
    let endsInLine: Bool
  }

  private let cancelSource: @Sendable () -> Void
  private let order: SliceOrder<Element>
  /// The number of the last input that has ended.
  private let ended = Mutex<Int?>(nil)

  /// Starts to read texts of `size` bytes, if known; throws if no thread is available.
  ///
  /// `make` creates the output of a searched slice, on the thread that searched it.
  package init<Source: SliceSource>(
    _ source: Source,
    size: UInt64?,
    threads: Int = Processors.available,
    _ make: @escaping @Sendable (inout Source.Slice) -> Output
  ) throws(InputError) {
    // More threads than slices would be idle.
    let slices = Int(clamping: size ?? .max) / FileSlices.sliceSize + 1
    let count = max(1, min(threads, slices))
    // One per thread, and one being delivered.
    let order = SliceOrder<Element>(window: count + 1)
    cancelSource = source.cancel
    self.order = order
    for started in 0..<count {
      do {
        try Thread { Self.work(source, order, make) }.detach()
      } catch {
        guard started == 0 else { break }
        throw InputError(name: "thread", error)
      }
    }
  }

  deinit { cancel() }

  /// Ends reading and all waits.
  package func cancel() {
    order.cancel()
    cancelSource()
  }

  /// Waits for the next element until a deadline; must not be called concurrently.
  ///
  /// Throws `CancellationError` after ``cancel()``.
  package func next(
    until deadline: ContinuousClock.Instant? = nil
  ) throws(CancellationError) -> SliceOrder<Element>.Next {
    while true {
      let next = try order.next(until: deadline)
      guard case .element(let element) = next else { return next }
      let isBehindEnd = ended.withLock { ended in
        defer { if element.step.isLast { ended = element.step.input } }
        return ended == element.step.input
      }
      // It was requested before the end of the file was known.
      if !isBehindEnd { return next }
    }
  }

  private static func work<Source: SliceSource>(
    _ source: Source,
    _ order: SliceOrder<Element>,
    _ make: (inout Source.Slice) -> Output
  ) {
    var slice = Source.Slice()
    while order.admit() {
      // After cancellation, no task waits for more.
      guard let step = try? source.next(into: &slice) else { return order.end(at: source.count) }
      var output: Output?
      if step.kind == .text {
        slice.search()
        output = make(&slice)
      }
      let endsInLine = step.kind == .text && slice.endsInLine
      order.insert(Element(step: step, output: output, endsInLine: endsInLine), at: step.number)
    }
  }
}
