import SondeRedis

/// A connection that asks other nodes of a cluster for keys that are on their way there.
final class SharedConnection {
  private let access: RedisAccess
  private let limit: Duration
  private let connection: RedisConnection
  /// The connections to nodes that were asked for such keys.
  private var others: [RedisPlace.Socket: RedisConnection] = [:]

  /// Connects and logs in, with a time limit for each step.
  init(_ access: RedisAccess, at server: RedisPlace.Socket, limit: Duration) throws(RedisError) {
    (self.access, self.limit) = (access, limit)
    connection = try access.connect(to: server, limit: limit)
  }

  /// The server that it leads to.
  var place: RedisPlace.Socket { connection.place }

  /// Ends it, from any thread.
  var interrupt: @Sendable () -> Void { connection.interrupt }

  /// Sends commands together, and returns their answers in order.
  func send(_ commands: [[[UInt8]]]) throws(RedisError) -> [RedisReply] {
    var answers = try connection.send(commands)
    var redirected: [RedisPlace.Socket: [Int]] = [:]
    for (index, answer) in answers.enumerated() {
      guard case .error(let words) = answer,
        case .asked(let redirect) = SharedVerdict(errorReply: words),
        let target = redirect.target(from: place)
      else { continue }
      redirected[target, default: []].append(index)
    }
    for (target, indices) in redirected {
      let asking = [Array("ASKING".utf8)]
      let replies = try other(target).send(indices.flatMap { [asking, commands[$0]] })
      for (position, index) in indices.enumerated() { answers[index] = replies[2 * position + 1] }
    }
    return answers
  }

  private func other(_ node: RedisPlace.Socket) throws(RedisError) -> RedisConnection {
    if let known = others[node] { return known }
    let fresh = try access.connect(to: node, limit: limit)
    others[node] = fresh
    return fresh
  }
}
