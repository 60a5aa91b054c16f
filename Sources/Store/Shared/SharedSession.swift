import Redis
import System

/// A connection on which somebody has logged in, and what is known of the server at its other end.
final class SharedSession {
  /// What tells one run of the server from another.
  let run: UInt64
  /// What the server's clock showed, and between which moments of this machine's.
  let reading: (time: Duration, sent: Duration, received: Duration)
  /// What names are hashed with.
  private(set) var salt: [UInt8]

  private let connection: RedisConnection
  /// What tells this connection from others.
  private let name = Array(String(UInt64.random(in: 0...UInt64.max)).utf8)
  private var digests: [SharedScript: [UInt8]] = [:]

  /// Ends it, from any thread.
  var interrupt: @Sendable () -> Void { connection.interrupt }

  /// Connects, logs in and makes sure that the server may be written to.
  ///
  /// - Parameters:
  ///   - place: The server.
  ///   - password: What to log in with; `nil` where that is not needed.
  ///   - limit: The time for each step.
  /// - Throws: ``RedisError``.
  init(_ place: RedisPlace, password: String?, limit: Duration) throws(RedisError) {
    connection = try RedisConnection(to: place, limit: limit)
    var greeting: [[String]] = []
    // A user who is named is never taken for the default one; there are users without a password.
    if place.user != nil || password != nil {
      greeting.append(["AUTH"] + [place.user, password ?? ""].compactMap(\.self))
    }
    if place.database > 0 { greeting.append(["SELECT", "\(place.database)"]) }
    _ = try Self.answers(connection, greeting.map { $0.map { Array($0.utf8) } })
    let questions =
      [
        [Array("INFO".utf8), Array("server".utf8)],
        // Refused by a server that may not be written to, or has no room.
        [
          Array("EVAL".utf8), Array(SharedScript.enter.text.utf8), Array("2".utf8),
          SharedKeys.salt, SharedKeys.quiet, KeyedHash.randomKey().prefix(16) + [], Self.quiet,
        ],
        [Array("TIME".utf8)],
      ]
      + SharedScript.allCases.map {
        [Array("SCRIPT".utf8), Array("LOAD".utf8), Array($0.text.utf8)]
      }
    let sent = Clocks.steady
    let answers = try Self.answers(connection, questions)
    guard let run = answers[0].text.flatMap(Self.run), let salt = answers[1].bytes,
      salt.count == 16,
      let time = answers[2].list.flatMap(Self.time)
    else { throw Self.notUnderstood }
    (self.run, self.salt) = (run, salt)
    reading = (time, sent, Clocks.steady)
    for (script, digest) in zip(SharedScript.allCases, answers[3...]) {
      digests[script] = digest.bytes
    }
  }

  /// Sends commands together.
  ///
  /// - Returns: Their answers, none of them an error.
  /// - Throws: ``RedisError``.
  func send(_ commands: [[[UInt8]]]) throws(RedisError) -> [RedisReply] {
    try Self.answers(connection, commands)
  }

  /// What came of changing a row.
  enum Outcome {
    case done
    /// It was not what was expected, but this; empty where there is none. For a moment nobody else
    /// changes it, or it is another's turn. There is none for so long after the server was emptied.
    case otherRow([UInt8], isOurTurn: Bool, quiet: Duration?)
    /// Names are hashed with another salt by now.
    case otherSalt
  }

  /// Changes a row, if it is what is expected.
  ///
  /// - Parameters:
  ///   - key: Where it lies.
  ///   - former: What is expected, empty for no row; `nil` only asks what it is.
  ///   - row: What it becomes; empty removes it.
  /// - Returns: What came of it, and the server's time.
  /// - Throws: ``RedisError``.
  func exchange(
    _ key: [UInt8],
    expecting former: [UInt8]?,
    for row: [UInt8]?
  ) throws(RedisError) -> (outcome: Outcome, time: Duration) {
    // No row is one byte long.
    let arguments = [salt, former ?? [0], row ?? [0], Self.lifetime, name, Self.turn, Self.quiet]
    let keys = [SharedKeys.salt, key, key + Array(":turn".utf8), SharedKeys.quiet]
    let answer = try run(.exchange, keys: keys, arguments).list ?? []
    guard answer.count == 5, let kind = answer[0].number, let bytes = answer[1].bytes,
      let time = Self.time(Array(answer[2...3])), let quiet = answer[4].number
    else { throw Self.notUnderstood }
    switch kind {
    case 0, 3:
      // Less than none where there is no such time, or no end to it.
      let quiet: Duration? = quiet > 0 ? .milliseconds(quiet) : nil
      return (.otherRow(bytes, isOurTurn: kind == 0, quiet: quiet), time)
    case 1: return (.done, time)
    case 2 where bytes.count == 16:
      salt = bytes
      return (.otherSalt, time)
    default: throw Self.notUnderstood
    }
  }

  /// Seconds and microseconds, as `TIME` tells them.
  private static func time(_ texts: [RedisReply]) -> Duration? {
    guard texts.count == 2, let seconds = texts[0].text.flatMap({ Int64($0) }),
      let microseconds = texts[1].text.flatMap({ Int64($0) })
    else { return nil }
    return .seconds(seconds) + .microseconds(microseconds)
  }

  /// The milliseconds, 40 days, after which a row that nobody changes goes; no window is longer.
  private static let lifetime = Array("3456000000".utf8)

  /// The milliseconds of a turn, should its owner not use it.
  private static let turn = Array("200".utf8)

  /// The milliseconds in which those who used an emptied server notice: they look four times.
  private static let quiet = Array("1000".utf8)

  private static let notUnderstood = RedisError(.unintelligible, "its answers are not Redis's")

  /// Runs a script.
  ///
  /// - Throws: ``RedisError``.
  func run(
    _ script: SharedScript,
    keys: [[UInt8]],
    _ arguments: [[UInt8]]
  ) throws(RedisError) -> RedisReply {
    let rest = [Array("\(keys.count)".utf8)] + keys + arguments
    let answer = try connection.send([[Array("EVALSHA".utf8), digests[script] ?? []] + rest])[0]
    // Somebody has emptied the server's memory of scripts.
    if case .error(let words) = answer, words.hasPrefix("NOSCRIPT") {
      return try send([[Array("EVAL".utf8), Array(script.text.utf8)] + rest])[0]
    }
    return try Self.checked(answer)
  }

  private static func answers(
    _ connection: RedisConnection,
    _ commands: [[[UInt8]]]
  ) throws(RedisError) -> [RedisReply] {
    let answers = try connection.send(commands)
    for answer in answers { _ = try checked(answer) }
    return answers
  }

  private static func checked(_ answer: RedisReply) throws(RedisError) -> RedisReply {
    guard case .error(let words) = answer else { return answer }
    throw RedisError(.refused, "Redis says: \(words)")
  }

  /// The `run_id` of `INFO server`, as a number.
  private static func run(in text: String) -> UInt64? {
    let name = "run_id:"
    let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(name) }
    return line.map { Checksum.of(Array($0.dropFirst(name.count).utf8).span) }
  }
}

/// The names of what lies on the server.
enum SharedKeys {
  static let salt = Array("sonde:salt".utf8)
  static let scopes = Array("sonde:scopes".utf8)
  /// There for a moment after the salt of an empty server was set.
  static let quiet = Array("sonde:quiet".utf8)
  /// When each answer came, by address.
  static let arrivals = Array("sonde:answers".utf8)

  /// The row of an account, whose hash this is.
  static func quota(_ hash: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789abcdef".utf8)
    return Array("sonde:quota:".utf8)
      + hash.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }

  /// What sources have found by one key, one text for each scope.
  static func text(_ key: [UInt8]) -> [UInt8] { Array("sonde:text:".utf8) + key }

  /// The answers about an address, one for each scope.
  static func answers(_ address: [UInt8]) -> [UInt8] { Array("sonde:answer:".utf8) + address }
}
