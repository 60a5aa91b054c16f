import SondeRedis
import TestSupport
import Testing

@Suite struct ReplyBudgetTests {
  /// What comes of one command, and how long that took.
  private func answer(_ bytes: [UInt8]) throws -> (Result<[RedisReply], RedisError>, Duration) {
    let server = try FakeRedis(bytes)
    defer { server.hide() }
    var result = Result<[RedisReply], RedisError>.success([])
    let time = ContinuousClock().measure {
      do throws(RedisError) {
        let connection = try RedisConnection(
          to: .unix(path: server.path),
          tls: nil,
          trusting: RedisTrust(),
          limit: .seconds(20)
        )
        result = .success(try connection.send([[Array("PING".utf8)]]))
      } catch {
        result = .failure(error)
      }
    }
    return (result, time)
  }

  @Test(arguments: [
    "*2147483647\r\n", "*1048577\r\n", "*1\r\n*1\r\n*2000000000\r\n", "*2\r\n:1\r\n*2147483647\r\n",
  ])
  func `a list that claims more elements than any answer has costs nothing`(head: String) throws {
    let (result, time) = try answer(Array(head.utf8))
    let error = #expect(throws: RedisError.self) { try result.get() }
    #expect(error?.kind == .unintelligible)
    // Giving the room back alone took a second for each gigabyte.
    #expect(time < .seconds(2))
  }

  @Test func `the elements of all lists count together`() throws {
    let list = Array("*100000\r\n".utf8) + (0..<100_000).flatMap { _ in Array(":7\r\n".utf8) }
    let bytes = Array("*11\r\n".utf8) + (0..<11).flatMap { _ in list }
    let error = #expect(throws: RedisError.self) { try answer(bytes).0.get() }
    #expect(error?.kind == .unintelligible)
  }

  @Test func `an answer that goes on and on is given up`() throws {
    let bytes = Array("$500000000\r\n".utf8) + [UInt8](repeating: 0x61, count: 80 << 20)
    let (result, _) = try answer(bytes)
    let error = #expect(throws: RedisError.self) { try result.get() }
    #expect(error?.kind == .unintelligible)
  }

  @Test func `long answers within the budget are taken`() throws {
    let (list, text) = (200_000, 8 << 20)
    let numbers = Array("*\(list)\r\n".utf8) + (0..<list).flatMap { _ in Array(":7\r\n".utf8) }
    #expect(try answer(numbers).0.get().first?.list?.count == list)
    let bytes = Array("$\(text)\r\n".utf8) + [UInt8](repeating: 0x61, count: text)
    #expect(try answer(bytes + Array("\r\n".utf8)).0.get().first?.bytes?.count == text)
  }
}
