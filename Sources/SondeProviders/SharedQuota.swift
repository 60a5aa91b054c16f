/// A quota as several processes share it, with the requests that each of them has under way.
///
/// It goes from hand to hand as bytes. The request of a process that is gone counts as spent: the
/// provider may have counted it.
public struct SharedQuota: Sendable {
  /// How long a request is waited for whose process says nothing; it may be stopped.
  private static let longestRequest = Duration.seconds(20)

  /// The longest window that is waited for where nobody knows what is spent of it.
  private static let longestDoubt = Duration.seconds(3600)

  /// What two processes must agree about to read one another's bytes.
  private static let version: Int64 = 3

  /// The version before, whose bytes hold no name.
  private static let namelessVersion: Int64 = 2

  /// The most bytes of a name.
  private static let longestName = 255

  private struct Held {
    let holder: UInt64
    let ticket: Quota.Ticket
  }

  /// The windows, as all processes together know them.
  public private(set) var quota: Quota

  /// Whose quota it is, for a person who looks at all of them; empty where that is not known.
  public let name: String

  /// Whether it is not what others wrote any more, also because that held times that cannot be: those are
  /// to be written anew, or they would be as far from their end whenever they are read.
  public var isChanged: Bool { isCorrected || bytes != former }

  private var isCorrected = false
  /// What ``bytes`` was at first.
  private var former: [UInt8] = []

  /// Until when nothing may be sent, for others may know more: nobody else is told of it.
  public var quietUntil: Duration?

  private let reading: ClockReading
  private var held: [Held] = []

  /// Takes over what others know.
  ///
  /// - Parameters:
  ///   - bytes: What ``bytes`` was; where it is empty or damaged, nobody knows anything.
  ///   - start: What this process begins with.
  ///   - name: Whose quota it is.
  ///   - reading: What the clocks show; the times of the quota are from now on by the steady one.
  public init(bytes: [UInt8], start: Quota, name: String = "", at reading: ClockReading) {
    quota = start
    self.name = name
    self.reading = reading
    take(bytes, start)
    former = self.bytes
  }

  /// Takes what others know as they have written it, for who only looks at it.
  ///
  /// - Parameters:
  ///   - bytes: What ``bytes`` was.
  ///   - start: What the provider publishes.
  ///   - reading: What the clocks show.
  public init(lookingAt bytes: [UInt8], _ start: Quota, at reading: ClockReading) {
    quota = start
    name = Self.name(in: bytes) ?? ""
    self.reading = reading
    take(bytes, start, asWritten: true)
  }

  /// Takes over what others know, unless it is damaged.
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

  /// Begins a quota that no other process knows.
  public init(start: Quota) {
    quota = start
    name = ""
    reading = ClockReading(steady: .zero, boot: 0, wall: .zero)
  }

  /// The name that bytes hold; `nil` where they hold none, being of an earlier version or damaged.
  public static func name(in bytes: [UInt8]) -> String? { reader(of: bytes)?.name }

  /// Begins to read bytes: what follows the name, and the name if there is one.
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

  /// What others take over.
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

  /// Whether others have requests under way, whose answers nobody here is told of.
  ///
  /// - Parameters:
  ///   - holder: The process that asks.
  ///   - own: The requests that one of its users of the quota has under way; there may be several.
  /// - Returns: Whether there are any beside these.
  public func isUsedByOthers(than holder: UInt64, with own: Int) -> Bool {
    let here = held.count { $0.holder == holder }
    return here > own || held.count > here
  }

  /// Counts as spent the requests of processes that are gone, and those that take too long: should
  /// an answer come after all, it is learnt from.
  ///
  /// When a request was sent before the last start of the machine, its moment is one of another clock,
  /// and may be still to come by this one.
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

  /// Notes that what was known is lost: others may have spent what a window allows since it began.
  ///
  /// From a window's length after that on one request tells what there is; what was on its way has
  /// arrived by then. A window of a day or more is not waited for: a provider that was asked too much
  /// says so.
  /// - Parameter loss: The moment of the loss, at the latest.
  public mutating func doubt(since loss: Duration) {
    guard let period = quota.allowance?.period, period <= Self.longestDoubt else { return }
    quota.pause(until: loss + max(period, Quota.longestWay))
  }

  /// Reserves so many requests at most.
  ///
  /// - Returns: The tickets, and what to wait for where there are fewer.
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

  /// Counts a request as under way that was sent while there was no limit.
  public mutating func adopt(_ ticket: Quota.Ticket, of holder: UInt64) {
    held.append(Held(holder: holder, ticket: ticket))
    quota.adopt()
  }

  /// Settles a ticket and learns from what came of its request.
  ///
  /// One that is not known here, because the bytes were lost meanwhile, is learnt from all the same.
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
