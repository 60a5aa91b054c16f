/// The bounds between which a provider's window ends, as far as its answers show.
struct WindowEnd: Equatable, Sendable {
  /// The window has not ended by then.
  let earliest: Duration

  /// The window has ended by then.
  let latest: Duration

  init(earliest: Duration, latest: Duration) { (self.earliest, self.latest) = (earliest, latest) }

  /// Derives the bounds from the answer to a request that the provider received between `sent` and
  /// `answered`; the rest of the window is rounded up to whole seconds.
  init?(_ notice: QuotaNotice, sent: Duration, answered: Duration) {
    guard let rest = notice.resetsIn else { return nil }
    earliest = sent + rest - .seconds(1)
    latest = answered + max(rest, notice.remaining == 0 ? .seconds(1) : .milliseconds(1))
  }

  /// Whether both certainly belong to the same window.
  ///
  /// The ends of two windows differ by more than the longest rest ever stated, less a second.
  func isSurely(_ other: WindowEnd, length: Duration?) -> Bool {
    let spread = max(latest, other.latest) - min(earliest, other.earliest)
    return spread <= (length ?? .zero) - .seconds(1)
  }

  /// The bounds if both belong to the same window.
  func narrowed(by other: WindowEnd) -> WindowEnd {
    WindowEnd(earliest: max(earliest, other.earliest), latest: min(latest, other.latest))
  }

  /// The bounds if one of them may belong to a later window.
  func widened(by other: WindowEnd) -> WindowEnd {
    WindowEnd(earliest: min(earliest, other.earliest), latest: max(latest, other.latest))
  }
}
