import Redis
import Testing

@Suite struct RedisPlaceTests {
  @Test func `a URL names a server, a user and a database`() throws {
    let place = try RedisPlace("redis://me@example.org:6380/3")
    #expect(place.socket == .tcp(host: "example.org", port: 6380))
    #expect(place.user == "me" && place.database == 3)
    #expect(place.description == "redis://example.org:6380/3")
    let usual = try RedisPlace("redis://[2001:db8::1]/")
    #expect(usual.socket == .tcp(host: "2001:db8::1", port: 6379))
    #expect(usual.user == nil && usual.database == 0)
    #expect(usual.description == "redis://[2001:db8::1]:6379/0")
    let socket = try RedisPlace("unix:///run/redis/redis.sock")
    #expect(socket.socket == .unix(path: "/run/redis/redis.sock"))
    #expect(socket.description == "unix:///run/redis/redis.sock")
  }

  @Test func `what is no such URL is refused, and no password is said again`() {
    let wrong = [
      "", "redis", "redis:", "redis://", "redis://:6379", "redis://h:", "redis://h:0",
      "redis://h:65536",
      "redis://h:6379x", "redis://h/-1", "redis://h/x", "redis://h/1/2", "redis://[::1",
      "redis://[::1]x",
      "redis://@h", "redis://a b", "unix://", "unix://x", "http://h", "rediss://h",
      "redis://u:secret@h",
      "redis://h/99999999999999999999", "unix:///" + String(repeating: "x", count: 120),
    ]
    for url in wrong {
      let error = #expect(throws: RedisPlace.FormatError.self) { try RedisPlace(url) }
      #expect(error?.description.contains("secret") == false, "\(url)")
    }
    // One that looks right says what is wrong.
    let long = #expect(throws: RedisPlace.FormatError.self) {
      try RedisPlace("unix:///" + String(repeating: "x", count: 120))
    }
    #expect(long?.description == "the path of a socket has at most 107 bytes")
  }
}
