/// The state of a quota as integers, for storing and sharing it.
extension Quota {
  /// Appends the state of the windows, without this process's own settings.
  func append(to words: inout [Int64]) {
    words.append(isLearnt ? 1 : 0)
    words.append(optional: allowance)
    words.append(optional: shown)
    switch phase {
    case .closed: words += [0, 0, 0]
    case .opening: words += [1, 0, 0]
    case .open(let end): words += [2, end.earliest.nanoseconds, end.latest.nanoseconds]
    }
    words += [Int64(window), Int64(left), isTold ? 1 : 0, Int64(underWay), Int64(lost)]
    words.append(lostUntil.nanoseconds)
    let pause: Int64 = pausedUntil == nil ? 0 : isSpentForPeriod ? 2 : 1
    words += [pause, (pausedUntil ?? .zero).nanoseconds]
  }

  /// Restores what ``append(to:)`` wrote, or returns `nil` if it is invalid; unless `asWritten`,
  /// the limit of `start` is used until an answer states another.
  init?(_ start: Quota, asWritten: Bool = false, from words: inout WordReader) {
    self.init(
      allowance: start.allowance,
      isFirm: start.isFirm,
      isRolling: start.isRolling,
      believing: start.believableWait
    )
    isLearnt = words.next() == 1
    let written = words.nextAllowance()
    // The absence of a limit does not affect the user's own rate.
    if isLearnt, written == nil, isFirm, !asWritten { isLearnt = false }
    if isLearnt || asWritten && written != nil { allowance = written }
    shown = words.nextAllowance()
    let (kind, earliest, latest) = (words.next(), words.nextDuration(), words.nextDuration())
    switch kind {
    case 0: phase = .closed
    case 1: phase = .opening
    case 2: phase = .open(WindowEnd(earliest: earliest, latest: latest))
    default: return nil
    }
    window = words.nextCount()
    left = words.nextCount()
    isTold = words.next() == 1
    underWay = words.nextCount()
    lost = words.nextCount()
    lostUntil = words.nextDuration()
    let pause = words.next()
    let until = words.nextDuration()
    if 1...2 ~= pause { (pausedUntil, isSpentForPeriod) = (until, pause == 2) }
    guard words.isSound else { return nil }
  }
}

extension Quota {
  /// Discards the information that there is no limit, so that the next request is sent alone.
  mutating func doubtAbsence(of published: Allowance?) {
    guard isLearnt, allowance == nil else { return }
    (allowance, isLearnt, phase) = (published, false, .closed)
  }
}

extension Quota.Ticket {
  func append(to words: inout [Int64]) {
    words += [Int64(window), sent.nanoseconds, left == nil ? 0 : 1, Int64(left ?? 0)]
  }

  init(from words: inout WordReader) {
    let (window, sent) = (words.nextCount(), words.nextDuration())
    let (isTold, left) = (words.next() == 1, words.nextCount())
    self.init(window: window, sent: sent, left: isTold ? left : nil)
  }
}

/// Reads integers in sequence; beyond the end or after an invalid value, it is unsound and returns
/// zeros.
struct WordReader {
  private(set) var isSound = true
  private var rest: ArraySlice<Int64>

  init(_ words: ArraySlice<Int64>) { rest = words }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func next() -> Int64 {
    guard let word = rest.popFirst() else {
      isSound = false
      return 0
    }
    return word
  }

  mutating func nextCount() -> Int {
    let word = next()
    if word < 0 || word > Int64(UInt32.max) { isSound = false }
    return isSound ? Int(word) : 0
  }

  mutating func nextDuration() -> Duration { .nanoseconds(next()) }

  /// The text written by `append(name:atMost:)`; `nil` if it is invalid.
  mutating func nextName(atMost most: Int) -> String? {
    let count = nextCount()
    guard isSound, count <= most else { return nil }
    let words = (0..<(count + 7) / 8).map { _ in next() }
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: words[$0 / 8] >> (8 * ($0 % 8))) }
    return isSound ? String(validating: bytes, as: UTF8.self) : nil
  }

  mutating func nextAllowance() -> Allowance? {
    let isThere = next() == 1
    let allowance = Allowance(requests: nextCount(), per: nextDuration())
    return isThere ? allowance : nil
  }
}

extension [Int64] {
  /// Appends a text, cut to a number of bytes: its length, then eight bytes per word.
  mutating func append(name: String, atMost most: Int) {
    var text = name[...]
    while text.utf8.count > most { text.removeLast() }
    let bytes = Array<UInt8>(text.utf8)
    append(Int64(bytes.count))
    for start in stride(from: 0, to: bytes.count, by: 8) {
      let group = bytes[start..<Swift.min(start + 8, bytes.count)]
      append(group.reversed().reduce(0) { $0 << 8 | Int64($1) })
    }
  }

  fileprivate mutating func append(optional allowance: Allowance?) {
    append(allowance == nil ? 0 : 1)
    append(Int64(allowance?.requests ?? 0))
    append((allowance?.period ?? .zero).nanoseconds)
  }
}

extension Duration {
  /// The duration in nanoseconds, clamped to 64 bits: 292 years.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? (seconds < 0 ? .min : .max) : product &+ attoseconds / 1_000_000_000
  }
}
