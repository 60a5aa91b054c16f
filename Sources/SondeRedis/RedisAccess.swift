/// The server with the data, and all that connecting to it takes.
public struct RedisAccess: Sendable {
  /// The location of the server.
  public let place: RedisPlace
  private let password: String?
  private let sentinelPassword: String?
  private let trust: RedisTrust

  /// Names a server, the passwords for it and for its sentinels, and what TLS trusts by default.
  public init(
    to place: RedisPlace,
    password: String? = nil,
    sentinelPassword: String? = nil,
    trusting trust: RedisTrust = RedisTrust()
  ) {
    (self.place, self.password) = (place, password)
    (self.sentinelPassword, self.trust) = (sentinelPassword, trust)
  }

  /// The current server, for which sentinels are asked in turn; each step has a time limit.
  public func server(limit: Duration) throws(RedisError) -> RedisPlace.Socket {
    switch place.server {
    case .direct(let socket): return socket
    case .master(let name, let sentinels): return try master(name, by: sentinels, limit: limit)
    }
  }

  private func master(
    _ name: String,
    by sentinels: [RedisPlace.Socket],
    limit: Duration
  ) throws(RedisError) -> RedisPlace.Socket {
    var failures: [RedisError] = []
    for sentinel in sentinels {
      do throws(RedisError) {
        return try master(name, by: sentinel, limit: limit)
      } catch {
        failures.append(error.describing("the sentinel \(sentinel)"))
      }
    }
    // A refusal is a mistake in the settings, while an unreachable sentinel may return.
    let refusal = failures.first { $0.kind != .unreachable && $0.kind != .ended }
    throw refusal ?? failures.last ?? RedisError(.unreachable, "there are no sentinels")
  }

  private func master(
    _ name: String,
    by sentinel: RedisPlace.Socket,
    limit: Duration
  ) throws(RedisError) -> RedisPlace.Socket {
    let connection = try connection(to: sentinel, limit: limit)
    var commands: [[String]] = sentinelPassword.map { [["AUTH", $0]] } ?? []
    commands.append(["SENTINEL", "get-master-addr-by-name", name])
    let replies = try connection.send(commands, withholding: sentinelPassword)
    guard let answer = replies.last, answer != .nothing else {
      throw RedisError(.refused, "it knows no master '\(name)'")
    }
    guard let texts = answer.list?.compactMap(\.text), texts.count == 2, !texts[0].isEmpty,
      let port = UInt16(texts[1]), port > 0
    else { throw RedisError(.unintelligible, "its answers are not those of a sentinel") }
    return .tcp(host: texts[0], port: port)
  }

  /// Connects to a server, logs in and selects the database, with a time limit for each step.
  public func connect(
    to socket: RedisPlace.Socket,
    limit: Duration
  ) throws(RedisError) -> RedisConnection {
    let connection = try connection(to: socket, limit: limit)
    var commands: [[String]] = []
    // A named user is never replaced by the default one; users may have no password.
    if place.user != nil || password != nil {
      commands.append(["AUTH"] + [place.user, password ?? ""].compactMap(\.self))
    }
    if place.database > 0 { commands.append(["SELECT", "\(place.database)"]) }
    _ = try connection.send(commands, withholding: password)
    return connection
  }

  private func connection(
    to socket: RedisPlace.Socket,
    limit: Duration
  ) throws(RedisError) -> RedisConnection {
    try RedisConnection(to: socket, tls: place.tls, trusting: trust, limit: limit)
  }
}

extension RedisConnection {
  /// Sends commands of which none may be refused; the error does not repeat the secret.
  fileprivate func send(
    _ commands: [[String]],
    withholding secret: String?
  ) throws(RedisError) -> [RedisReply] {
    do throws(RedisError) {
      let replies = try send(commands.map { $0.map { Array($0.utf8) } })
      for reply in replies { if let refusal = reply.refusal { throw refusal } }
      return replies
    } catch {
      throw error.withholding(secret ?? "")
    }
  }
}
