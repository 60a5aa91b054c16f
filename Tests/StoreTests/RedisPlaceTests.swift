import SondeRedis
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

  @Test func `what is no such URL is refused by a reason that names the mistake`() {
    let wrong = [
      ("", "it begins with neither redis:// nor unix://"),
      ("redis:", "it begins with neither redis:// nor unix://"),
      ("http://h", "it begins with neither redis:// nor unix://"),
      ("REDIS://h", "it begins with neither redis:// nor unix://"),
      ("redis://", "the host is missing"),
      ("redis:///0", "the host is missing"),
      ("redis://:6379", "the host is missing"),
      ("redis://@h", "the user before '@' is missing"),
      ("redis://h:", "the port behind ':' is not a number from 1 to 65535"),
      ("redis://h:0", "the port behind ':' is not a number from 1 to 65535"),
      ("redis://h:99999", "the port behind ':' is not a number from 1 to 65535"),
      ("redis://h:-1", "the port behind ':' is not a number from 1 to 65535"),
      ("redis://h:6379x", "the port behind ':' is not a number from 1 to 65535"),
      ("redis://h:99999999999999999999", "the port behind ':' is not a number from 1 to 65535"),
      ("redis://h/-1", "the database behind '/' is not a number from 0 to 1048575"),
      ("redis://h/x", "the database behind '/' is not a number from 0 to 1048575"),
      ("redis://h/1048576", "the database behind '/' is not a number from 0 to 1048575"),
      (
        "redis://h/99999999999999999999",
        "the database behind '/' is not a number from 0 to 1048575"
      ),
      ("redis://h/0/1", "only the number of a database, as in /0, may follow the host"),
      ("redis://h?x=1", "nothing may follow a '?': the URL has no parameters"),
      ("redis://h/0?x=1", "nothing may follow a '?': the URL has no parameters"),
      ("redis://h/0#x", "nothing may follow a '#': the URL has no parameters"),
      ("redis://[::1", "the ']' behind the IPv6 address is missing"),
      ("redis://[::1]x", "only a port, as in :6379, may follow the ']'"),
      ("redis://::1", "an IPv6 address stands in brackets: redis://[::1]:6379"),
      ("redis://a b", "the host holds a character that no host name has"),
      ("redis://\u{e4}.example", "the host holds a character that no host name has"),
      ("unix://", "the path of a socket begins with '/': unix:///PATH"),
      ("unix://x", "the path of a socket begins with '/': unix:///PATH"),
      (
        "unix:///" + String(repeating: "x", count: 120),
        "the path of a socket has at most 107 bytes"
      ),
      ("rediss://h", "TLS is not supported; use a Unix socket, or a tunnel such as stunnel"),
      ("redis-sentinel://h/name", "Sentinel is not supported; name the server itself"),
    ]
    for (url, reason) in wrong {
      let error = #expect(throws: RedisPlace.FormatError.self) { try RedisPlace(url) }
      #expect(error?.description == reason, "\(url)")
    }
  }

  @Test func `no part of a password is said again`() {
    let wrong = [
      "redis://u:secret@h", "redis://:secret@h", "redis://u:se/cret@h", "redis://u:se?cret@h:0",
      "redis://u:se#cret@h/x", "redis://u:s@e:cret@h", "redis://u:secret@",
      "redis://u:secret@h:99999",
      "redis://secret/@h", "rediss://u:secret@h", "redis-sentinel://u:secret@h",
      "http://u:secret@h",
      "redis:u:secret@h", "unix://u:secret@/path", "redis://h/0?password=secret",
      "redis://h:secret",
      "redis://h/secret", "redis://h/0/secret", " redis://u:secret@h",
    ]
    for url in wrong {
      let error = #expect(throws: RedisPlace.FormatError.self) { try RedisPlace(url) }
      let reason = error?.description ?? ""
      #expect(!reason.contains("secret") && !reason.contains("cret"), "\(url)")
      if url.hasPrefix("redis://u:") {
        #expect(reason.hasPrefix("it holds a password") && reason.contains("SONDE_SHARED_PASSWORD"))
      }
    }
  }
}
