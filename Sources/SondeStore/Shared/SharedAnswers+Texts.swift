import SondeRecords
import SondeRedis
import SondeSystem

extension SharedAnswers: KeptTexts {
  /// The number of keys looked up or stored per step.
  private static let textBatch = 500

  func texts(of keys: [[UInt8]], in scope: String, youngerThan age: Duration?) async -> [[UInt8]?] {
    let found = await link.perform { [link] session throws(RedisError) in
      var found: [[UInt8]?] = []
      for start in stride(from: 0, to: keys.count, by: Self.textBatch) {
        let slice = keys[start..<min(start + Self.textBatch, keys.count)]
        let replies = try session.send(
          slice.map { [Array("HGET".utf8), SharedKeys.text($0), Array(scope.utf8)] }
        )
        found += replies.map { reply in
          reply.bytes.flatMap { Self.text($0, at: link.now, youngerThan: age) }
        }
      }
      return found
    }
    return found.result ?? keys.map { _ in nil }
  }

  func keep(_ texts: [KeptText], in scope: String) async {
    let lifetime = Array("\(KeptText.longest.milliseconds)".utf8)
    let outcome = await makingRoom { [link] session throws(RedisError) in
      for start in stride(from: 0, to: texts.count, by: Self.textBatch) {
        let now = link.now
        let slice = texts[start..<min(start + Self.textBatch, texts.count)]
        _ = try session.run(
          .keep,
          keys: slice.map { SharedKeys.text($0.key) },
          [Array(scope.utf8), lifetime] + slice.map { Self.bytes($0, at: now) }
        )
      }
    }
    if case .full(let reason) = outcome { tellFullness(reason) }
  }

  /// The form of a text on a server: like an answer, with its lifetime in place of the time of the
  /// answer.
  private static func bytes(_ text: KeptText, at now: Duration) -> [UInt8] {
    SharedAnswer.bytes(text.text.span, given: text.lifetime.milliseconds, saved: now)
  }

  /// The text, if it has not expired.
  private static func text(
    _ bytes: [UInt8],
    at now: Duration,
    youngerThan age: Duration?
  ) -> [UInt8]? {
    guard let (range, lifetime, saved) = SharedAnswer.read(bytes) else { return nil }
    let held = now - .seconds(saved)
    guard held < .milliseconds(lifetime), held < age ?? .milliseconds(lifetime) else { return nil }
    return Array(bytes[range])
  }
}
