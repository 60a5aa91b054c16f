package import SondeInputs
import SondeRecords

/// The lines of several inputs in the order of their times, each with those before it in its input.
package struct MergedLines {
  /// The next line of an input.
  private struct Head {
    let source: TextLines
    var context: LineContext
    let number: Int
    var line: ArraySlice<UInt8> = []
    var time: Int64?

    /// Lines before the first time come first.
    var order: (Int64, Int) { (time ?? .min, number) }

    /// Goes on to the next line; returns whether there is one.
    mutating func advance(_ finder: inout HitFinder) -> Bool {
      guard let next = source.next() else { return false }
      line = next
      time = finder.time(of: next.span, after: &context)
      return true
    }
  }

  /// The inputs that have a line, the first one last.
  private var heads: [Head] = []
  private var sources: [TextLines]

  /// The inputs that could not be read to their end, and the lines that were too long.
  package var failures: [InputError] { sources.compactMap(\.failure) }
  package var leftOut: Int { sources.reduce(0) { $0 + $1.leftOut } }

  /// Reads the first line of each input.
  package init(_ sources: [TextLines], _ context: LineContext, _ finder: inout HitFinder) {
    self.sources = sources
    for (number, source) in sources.enumerated() {
      var head = Head(source: source, context: context, number: number)
      if head.advance(&finder) { insert(head) }
    }
  }

  private mutating func insert(_ head: Head) {
    var (low, high) = (0, heads.count)
    while low < high {
      let middle = (low + high) / 2
      if heads[middle].order > head.order { low = middle + 1 } else { high = middle }
    }
    heads.insert(head, at: low)
  }

  /// Adds the hits of the next line; returns its time, if it has one, and its length, or `nil` at the
  /// end of all.
  package mutating func next(
    _ finder: inout HitFinder,
    now: Int64,
    into hits: inout [GuardHit]
  ) -> (time: Int64?, length: Int)? {
    let last = heads.count - 1
    guard last >= 0 else { return nil }
    let (line, time, source) = (heads[last].line, heads[last].time, heads[last].source)
    finder.find(inLast: line, of: source, at: time ?? now, &heads[last].context, into: &hits)
    if !heads[last].advance(&finder) {
      heads.removeLast()
    } else if last > 0, heads[last].order > heads[last - 1].order {
      insert(heads.removeLast())
    }
    return (time, line.count)
  }
}
