/// Between which moments a provider's window ends, as far as its answers tell.
struct WindowEnd: Equatable, Sendable {
  /// It has not ended by then.
  let earliest: Duration

  /// It has ended by then.
  let latest: Duration

  init(earliest: Duration, latest: Duration) {
    (self.earliest, self.latest) = (earliest, latest)
  }

  /// Reads it from an answer to a request that the provider took at some time between `sent` and
  /// `answered`; the rest of the window is rounded up to whole seconds.
  init?(_ notice: QuotaNotice, sent: Duration, answered: Duration) {
    guard let rest = notice.resetsIn else { return nil }
    earliest = sent + rest - .seconds(1)
    latest = answered + max(rest, notice.remaining == 0 ? .seconds(1) : .milliseconds(1))
  }

  /// Whether both are of one window: the ends of two are further apart than a second less than the
  /// longest rest that was ever told.
  func isSurely(_ other: WindowEnd, length: Duration?) -> Bool {
    let spread = max(latest, other.latest) - min(earliest, other.earliest)
    return spread <= (length ?? .zero) - .seconds(1)
  }

  /// What is known when both tell of one window.
  func narrowed(by other: WindowEnd) -> WindowEnd {
    WindowEnd(earliest: max(earliest, other.earliest), latest: min(latest, other.latest))
  }

  /// What is known when one of them may tell of a later window.
  func widened(by other: WindowEnd) -> WindowEnd {
    WindowEnd(earliest: min(earliest, other.earliest), latest: max(latest, other.latest))
  }
}
