import SondeRedis
import SondeSystem

/// An authenticated connection, with information about the server.
final class SharedSession {
  /// The identifier of the server's run.
  let run: UInt64
  /// A reading of the server's clock, and the moments between which it was taken.
  let reading: (time: Duration, sent: Duration, received: Duration)
  /// The salt for hashing names.
  private(set) var salt: [UInt8]

  private let connection: SharedConnection
  private let name = Array(String(UInt64.random(in: 0...UInt64.max)).utf8)
  private var digests: [SharedScript: [UInt8]] = [:]

  /// Ends it, from any thread.
  var interrupt: @Sendable () -> Void { connection.interrupt }

  /// The server that it leads to.
  var server: RedisPlace.Socket { connection.place }

  /// Connects, logs in and verifies that all operations are possible, with a time limit for each
  /// step.
  init(
    _ access: RedisAccess,
    at server: RedisPlace.Socket,
    limit: Duration
  ) throws(RedisError) {
    connection = try SharedConnection(access, at: server, limit: limit)
    let state = try Self.checked(connection.send([["INFO", "server"].map { Array($0.utf8) }]))
    guard let run = state[0].text.flatMap(Self.run) else { throw Self.notUnderstood }
    self.run = run
    // Only after the login, since Redis only accepts short requests before.
    let questions =
      [
        Self.evaluation(
          of: .enter,
          keys: [SharedKeys.salt, SharedKeys.quiet] + SharedKeys.trial,
          [KeyedHash.randomKey().prefix(16) + [], Self.quiet]
        ),
        [Array("TIME".utf8)],
      ]
      + SharedScript.allCases.map {
        [Array("SCRIPT".utf8), Array("LOAD".utf8), Array($0.text.utf8)]
      }
    let sent = Clocks.steady
    let answers = try Self.checked(connection.send(questions))
    guard let salt = answers[0].bytes, salt.count == 16 else { throw Self.notUnderstood }
    self.salt = salt
    reading = (try Self.time(answers[1].list ?? []), sent, Clocks.steady)
    for (script, digest) in zip(SharedScript.allCases, answers[2...]) {
      digests[script] = digest.bytes
    }
    // A server may permit one way to run scripts, and not the other. This one finds nothing to do.
    _ = try self.run(.discard, keys: [SharedKeys.trial[0], SharedKeys.quiet], [[], Self.quiet])
  }

  /// Sends commands together; none of the answers is an error.
  func send(_ commands: [[[UInt8]]]) throws(RedisError) -> [RedisReply] {
    try Self.checked(connection.send(commands))
  }

  /// The result of changing a row.
  enum Outcome {
    case done
    /// The row has this other value, or is missing (empty).
    ///
    /// For a moment no other process may change it, or another one has its turn. Without a row, the
    /// server was emptied, and counts as such for this time.
    case otherRow([UInt8], isOurTurn: Bool, quiet: Duration?)
    /// Names are hashed with another salt now.
    case otherSalt
  }

  /// Changes a row from `former` to `row`, empty for none, and returns the server's time; a
  /// `former` of `nil` only reads it.
  func exchange(
    _ key: [UInt8],
    expecting former: [UInt8]?,
    for row: [UInt8]?
  ) throws(RedisError) -> (outcome: Outcome, time: Duration) {
    // No row has a single byte.
    let arguments = [salt, former ?? [0], row ?? [0], Self.lifetime, name, Self.turn, Self.quiet]
    let keys = [SharedKeys.salt, key, key + Array(":turn".utf8), SharedKeys.quiet]
    let answer = try run(.exchange, keys: keys, arguments).list ?? []
    guard answer.count == 5, let kind = answer[0].number, let bytes = answer[1].bytes,
      let quiet = answer[4].number
    else { throw Self.notUnderstood }
    let time = try Self.time(Array(answer[2...3]))
    switch kind {
    case 0, 3:
      // Negative if there is no such time; a longer one is not Sonde's.
      let quiet: Duration? = 1...Self.quietTime ~= quiet ? .milliseconds(quiet) : nil
      return (.otherRow(bytes, isOurTurn: kind == 0, quiet: quiet), time)
    case 1: return (.done, time)
    case 2 where bytes.count == 16:
      salt = bytes
      return (.otherSalt, time)
    default: throw Self.notUnderstood
    }
  }

  /// Removes a row that no version of Sonde has written, as if the server had been emptied.
  func discard(_ row: [UInt8], at key: [UInt8]) throws(RedisError) {
    _ = try run(.discard, keys: [key, SharedKeys.quiet], [row, Self.quiet])
  }

  /// The range of a clock that was set: the years 2000 to 2099.
  private static let believable: Range<Int64> = 946_684_800..<4_102_444_800

  /// Parses seconds and microseconds from `TIME`; fails if the time is implausible.
  static func time(_ texts: [RedisReply]) throws(RedisError) -> Duration {
    guard texts.count == 2, let seconds = texts[0].text.flatMap({ Int64($0) }),
      let microseconds = texts[1].text.flatMap({ Int64($0) }),
      believable.contains(seconds), 0..<1_000_000 ~= microseconds
    else {
      throw RedisError(.unreachable, "the clock of Redis shows no time between 2000 and 2100")
    }
    return .seconds(seconds) + .microseconds(microseconds)
  }

  /// The lifetime of an unchanged row in milliseconds: 40 days, longer than any window.
  private static let lifetime = Array("3456000000".utf8)

  /// The duration of a turn in milliseconds, if its owner does not use it.
  private static let turn = Array("200".utf8)

  /// The time in milliseconds for former users of an emptied server to notice that, with four
  /// checks.
  private static let quietTime: Int64 = 1000
  private static let quiet = Array("\(quietTime)".utf8)

  private static let notUnderstood = RedisError(.unintelligible, "its answers are not Redis's")

  func run(
    _ script: SharedScript,
    keys: [[UInt8]],
    _ arguments: [[UInt8]]
  ) throws(RedisError) -> RedisReply {
    let words = Self.evaluation(of: script, keys: keys, arguments)
    let answer = try connection.send([[Array("EVALSHA".utf8), digests[script] ?? []] + words[2...]])
    if case .error(let text) = answer[0], SharedVerdict(errorReply: text) == .forgottenScript {
      return try Self.checked(connection.send([words])[0])
    }
    return try Self.checked(answer[0])
  }

  /// The command that runs a script, which the server need not know.
  private static func evaluation(
    of script: SharedScript,
    keys: [[UInt8]],
    _ arguments: [[UInt8]]
  ) -> [[UInt8]] {
    [Array("EVAL".utf8), Array(script.text.utf8), Array("\(keys.count)".utf8)] + keys + arguments
  }

  private static func checked(_ answers: [RedisReply]) throws(RedisError) -> [RedisReply] {
    var answers = answers
    for index in answers.indices { answers[index] = try checked(answers[index]) }
    return answers
  }

  /// An answer without an error; a foreign value in a key counts as missing.
  private static func checked(_ answer: RedisReply) throws(RedisError) -> RedisReply {
    guard let error = answer.refusal else { return answer }
    guard SharedVerdict(error) == .foreignValue else { throw error }
    return .nothing
  }

  /// The `run_id` of `INFO server`, as a number.
  private static func run(in text: String) -> UInt64? {
    let name = "run_id:"
    let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(name) }
    return line.map { Checksum.of(Array($0.dropFirst(name.count).utf8).span) }
  }
}
