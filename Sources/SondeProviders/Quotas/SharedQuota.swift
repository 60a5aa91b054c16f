/// A quota shared by several processes, with the pending requests of each.
///
/// It is exchanged as bytes. A request of a process that has ended counts as spent, since the
/// provider may have counted it.
public struct SharedQuota: Sendable {
  /// How long a request of a silent process stays pending; the process may be stopped.
  private static let longestRequest = Duration.seconds(20)

  /// The longest window that is waited for if the number of spent requests is unknown.
  private static let longestDoubt = Duration.seconds(3600)
  private static let version: Int64 = 3

  /// The previous version, which has no name.
  private static let namelessVersion: Int64 = 2

  /// The largest length of a name in bytes.
  private static let longestName = 255

  private struct Held {
    let holder: UInt64
    let ticket: Quota.Ticket
  }

  /// The windows as known to all processes.
  public private(set) var quota: Quota

  /// The name of the quota for people; empty if unknown.
  public let name: String

  /// Whether it differs from what others wrote, including corrections of impossible times, which
  /// must be written back because their end would otherwise never come closer.
  public var isChanged: Bool { isCorrected || bytes != former }

  private var isCorrected = false
  /// The initial value of ``bytes``.
  private var former: [UInt8] = []

  /// Until when nothing may be sent because other processes may know more; not shared.
  public var quietUntil: Duration?

  private let reading: ClockReading
  private var held: [Held] = []

  /// Restores an earlier value of ``bytes``, ignored if empty or damaged, for a process with the
  /// initial state `start`; all times are by the steady clock from now on.
  public init(bytes: [UInt8], start: Quota, name: String = "", at reading: ClockReading) {
    (quota, self.name, self.reading) = (start, name, reading)
    take(bytes, start)
    former = self.bytes
  }

  /// Restores a shared quota exactly as written, to show it; `start` has the published limit.
  public init(lookingAt bytes: [UInt8], _ start: Quota, at reading: ClockReading) {
    (quota, name, self.reading) = (start, Self.name(in: bytes) ?? "", reading)
    take(bytes, start, asWritten: true)
  }

  private mutating func take(_ bytes: [UInt8], _ start: Quota, asWritten: Bool = false) {
    guard var words = Self.reader(of: bytes)?.words, let written = ClockReading(from: &words),
      var known = Quota(start, asWritten: asWritten, from: &words)
    else { return }
    var held: [Held] = []
    while !words.isAtEnd {
      let holder = UInt64(bitPattern: words.next())
      held.append(Held(holder: holder, ticket: Quota.Ticket(from: &words)))
    }
    guard words.isSound else { return }
    let shift = reading.shift(since: written, byWall: known.isLong(at: written.steady))
    known.shift(by: shift)
    let isCut = known.confine(writtenAt: written.steady + shift, wall: written.wall, reading)
    isCorrected = isCut || shift != .zero
    if let period = start.allowance?.period, reading.steady - (written.steady + shift) >= period {
      known.doubtAbsence(of: start.allowance)
    }
    (quota, self.held) = (known, held)
  }

  /// Creates a quota that no other process knows.
  public init(start: Quota) {
    (quota, name) = (start, "")
    reading = ClockReading(steady: .zero, boot: 0, wall: .zero)
  }

  /// The name in the bytes; `nil` if there is none, because of an earlier version or damage.
  public static func name(in bytes: [UInt8]) -> String? { reader(of: bytes)?.name }

  /// Starts to read bytes: returns what follows the name, and the name if there is one.
  private static func reader(of bytes: [UInt8]) -> (words: WordReader, name: String?)? {
    var words = WordReader(words(of: bytes)[...])
    switch words.next() {
    case namelessVersion: return (words, nil)
    case version:
      guard let name = words.nextName(atMost: longestName) else { return nil }
      return (words, name)
    default: return nil
    }
  }

  /// The bytes for other processes.
  public var bytes: [UInt8] {
    var words = [Self.version]
    words.append(name: name, atMost: Self.longestName)
    reading.append(to: &words)
    quota.append(to: &words)
    for held in held {
      words.append(Int64(bitPattern: held.holder))
      held.ticket.append(to: &words)
    }
    let ordered = words.map(\.littleEndian)
    return unsafe ordered.withUnsafeBytes { unsafe [UInt8]($0) }
  }

  private static func words(of bytes: [UInt8]) -> [Int64] {
    unsafe bytes.withUnsafeBytes { bytes in
      stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map {
        unsafe Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: $0, as: Int64.self))
      }
    }
  }

  /// Whether there are pending requests besides the `own` ones of a user in this process, which
  /// does not receive their answers.
  public func isUsedByOthers(than holder: UInt64, with own: Int) -> Bool {
    let here = held.count { $0.holder == holder }
    return here > own || held.count > here
  }

  /// Counts as spent the requests of processes that have ended, and those that take too long.
  ///
  /// If an answer arrives nevertheless, it is used. A request from before the last boot has the
  /// time of another clock, which may be in the future of this one.
  public mutating func dropDead(now: Duration, isAlive: (UInt64) -> Bool) {
    var alive: [UInt64: Bool] = [:]
    held.removeAll { request in
      let isAlive = alive[request.holder] ?? isAlive(request.holder)
      alive[request.holder] = isAlive
      guard !isAlive || abs(now - request.ticket.sent) > Self.longestRequest else { return false }
      quota.settle(request.ticket.sent(by: now), .lost, now: now)
      return true
    }
  }

  /// Handles the loss of the state: others may have spent what a window permits since it began.
  ///
  /// After a window's length, a single request finds out what is left; earlier requests have
  /// arrived by then. A window of a day or more is not waited for, since a provider reports when it
  /// was asked too much.
  /// - Parameter loss: The latest possible moment of the loss.
  public mutating func doubt(since loss: Duration) {
    guard let period = quota.allowance?.period, period <= Self.longestDoubt else { return }
    quota.pause(until: loss + max(period, Quota.longestWay))
  }

  /// Reserves a number of requests at most; returns the tickets, and what to wait for if there are
  /// fewer.
  public mutating func reserve(
    _ count: Int,
    for holder: UInt64,
    now: Duration
  ) -> (tickets: [Quota.Ticket], denial: Quota.Decision?) {
    if let quietUntil, quota.allowance != nil, now < quietUntil {
      return ([], .waitForAnswer(until: quietUntil))
    }
    var tickets: [Quota.Ticket] = []
    while tickets.count < count {
      let decision = quota.reserve(now: now)
      guard case .send(let ticket) = decision else { return (tickets, decision) }
      held.append(Held(holder: holder, ticket: ticket))
      tickets.append(ticket)
    }
    return (tickets, nil)
  }

  /// Counts a request as pending that was sent while there was no limit.
  public mutating func adopt(_ ticket: Quota.Ticket, of holder: UInt64) {
    held.append(Held(holder: holder, ticket: ticket))
    quota.adopt()
  }

  /// Settles a ticket and learns from the outcome of its request.
  ///
  /// The outcome is also used if the ticket is unknown because the bytes were lost.
  public mutating func settle(
    _ ticket: Quota.Ticket,
    of holder: UInt64,
    _ outcome: Quota.Outcome,
    now: Duration
  ) {
    let place = held.firstIndex { $0.holder == holder && $0.ticket == ticket }
    if let place { held.remove(at: place) } else { quota.adopt() }
    quota.settle(ticket, outcome, now: now)
  }
}
