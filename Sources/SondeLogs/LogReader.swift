package import SondeInputs
import SondeSystem
import Synchronization

/// Reads texts, finds the addresses in them on every core, and gives out in order what is made of
/// them.
///
/// Bounded everywhere: where nobody asks for more, the search stops. Threads of its own read and
/// search, so that waiting for a pipe holds no thread of the shared pool.
package final class LogReader<Output: Sendable>: Sendable {
  /// What came of a slice, a literal, or an input that cannot be read.
  package struct Element: Sendable {
    /// Which it is.
    package let step: LogSource.Step
    /// What was made of the slice's text; `nil` where there was none.
    package let output: Output?
    /// Whether the slice ends within a line.
    let endsInLine: Bool
  }

  private let cancelSource: @Sendable () -> Void
  private let order: SliceOrder<Element>
  /// The number of the last input that has ended.
  private let ended = Mutex<Int?>(nil)

  /// Begins to read.
  ///
  /// - Parameters:
  ///   - source: The texts.
  ///   - size: The bytes of all of them, if that is known.
  ///   - threads: How many threads search at the most.
  ///   - make: What is made of a slice that has been searched, on the thread that did.
  /// - Throws: ``InputError`` when there is no thread to be had.
  package init<Source: SliceSource>(
    _ source: Source,
    size: UInt64?,
    threads: Int = Processors.available,
    _ make: @escaping @Sendable (inout Source.Slice) -> Output
  ) throws(InputError) {
    // More threads than slices would find nothing to do.
    let slices = Int(clamping: size ?? .max) / FileSlices.sliceSize + 1
    let count = max(1, min(threads, slices))
    // One each, and one that is on its way out.
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

  /// Ends reading, and every wait for it.
  package func cancel() {
    order.cancel()
    cancelSource()
  }

  /// Waits for the next element; only one thread at a time may.
  ///
  /// - Parameter deadline: When waiting ends; `nil` is never.
  /// - Returns: The element, or why there is none.
  /// - Throws: `CancellationError` after ``cancel()``.
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
      // It was asked for before it was known where the file ends.
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
      // Cancelled: whoever did that waits for nothing more.
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
