package import SondeInputs
import SondeRecords

/// The lines of several inputs in the order of their times, each with those before it in its input.
package struct MergedLines {
  private struct Head {
    let source: TextLines
    var context: LineContext
    let number: Int
    var line: [UInt8] = []
    var time: Int64?

    /// Lines before the first time come first.
    var order: (Int64, Int) { (time ?? .min, number) }
  }

  /// The inputs that have a line, the first one last.
  private var heads: [Head] = []
  private var sources: [TextLines]

  /// The inputs that could not be read to their end, and the lines that were too long.
  package var failures: [InputError] { sources.compactMap(\.failure) }
  package var leftOut: Int { sources.reduce(0) { $0 + $1.leftOut } }

  /// Reads the first line of each input.
  package init(
    _ sources: [TextLines],
    _ context: LineContext,
    _ finder: inout HitFinder,
    now: Int64
  ) {
    self.sources = sources
    for (number, source) in sources.enumerated() {
      insert(Head(source: source, context: context, number: number), &finder, now)
    }
  }

  private mutating func insert(_ head: Head, _ finder: inout HitFinder, _ now: Int64) {
    var head = head
    guard let line = head.source.next() else { return }
    head.line = line
    head.time = finder.time(of: line.span, after: &head.context, now: now)
    var (low, high) = (0, heads.count)
    while low < high {
      let middle = (low + high) / 2
      if heads[middle].order > head.order { low = middle + 1 } else { high = middle }
    }
    heads.insert(head, at: low)
  }

  /// The time of the next line, or `now` if it has none, and its hits; `nil` at the end of all.
  package mutating func next(
    _ finder: inout HitFinder,
    now: Int64
  ) -> (time: Int64?, hits: [GuardHit])? {
    guard var head = heads.popLast() else { return nil }
    let (line, time) = (head.line, head.time)
    let hits = finder.hits(in: line.span, of: head.source.name, at: time ?? now, &head.context)
    insert(head, &finder, now)
    return (time, hits)
  }
}
