import SondeRedis
import Testing

@Suite struct RedisPlaceTests {
  @Test func `a URL names a server, a user and a database`() throws {
    let place = try RedisPlace("redis://me@example.org:6380/3")
    #expect(place.server == .direct(.tcp(host: "example.org", port: 6380)))
    #expect(place.user == "me" && place.database == 3)
    #expect(place.description == "redis://example.org:6380/3")
    let usual = try RedisPlace("redis://[2001:db8::1]/")
    #expect(usual.server == .direct(.tcp(host: "2001:db8::1", port: 6379)))
    #expect(usual.user == nil && usual.database == 0)
    #expect(usual.description == "redis://[2001:db8::1]:6379/0")
    let socket = try RedisPlace("unix:///run/redis/redis.sock")
    #expect(socket.server == .direct(.unix(path: "/run/redis/redis.sock")))
    #expect(socket.description == "unix:///run/redis/redis.sock")
  }

  @Test func `a URL names a server by TLS with its files, or sentinels`() throws {
    let place = try RedisPlace("rediss://h?ca=/a%20b.pem&cert=c%26%40.pem&key=k")
    #expect(place.server == .direct(.tcp(host: "h", port: 6379)))
    #expect(place.tls?.authorities == "/a b.pem" && place.tls?.certificate == "c&@.pem")
    #expect(place.tls?.key == "k" && place.database == 0)
    #expect(place.description == "rediss://h:6379/0?ca=/a b.pem&cert=c%26%40.pem&key=k")
    #expect(try RedisPlace("rediss://h/2").tls == RedisPlace.TLSFiles())
    #expect(try RedisPlace("redis://h").tls == nil)
    let watched = try RedisPlace("rediss-sentinel://me@a,[::1]:5,b:6/the-master/3?ca=x")
    let sentinels = [("a", 26379), ("::1", 5), ("b", 6)].map {
      RedisPlace.Socket.tcp(host: $0.0, port: $0.1)
    }
    #expect(watched.server == .master(name: "the-master", sentinels: sentinels))
    #expect(watched.user == "me" && watched.database == 3 && watched.tls?.authorities == "x")
    #expect(
      watched.description == "rediss-sentinel://a:26379,[::1]:5,b:6/the-master/3?ca=x"
    )
    let plain = try RedisPlace("redis-sentinel://a/m/")
    #expect(plain.tls == nil && plain.database == 0)
    #expect(plain.description == "redis-sentinel://a:26379/m/0")
  }

  @Test func `what is no such URL is refused by a reason that names the mistake`() {
    let schemes = """
      it begins with none of redis://, rediss://, redis-sentinel://, rediss-sentinel:// and unix://
      """
    let files = "only ca=FILE, cert=FILE and key=FILE may follow the '?'"
    let wrong = [
      ("", schemes),
      ("redis:", schemes),
      ("http://h", schemes),
      ("REDIS://h", schemes),
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
      ("redis://h/0/1", "only the number of a database, as in /0, may come last"),
      ("redis://h?x=1", "nothing may follow a '?': only TLS has parameters"),
      ("redis://h/0?x=1", "nothing may follow a '?': only TLS has parameters"),
      ("redis://h/0#x", "nothing may follow a '#': the URL has no fragment"),
      ("redis://[::1", "the ']' behind the IPv6 address is missing"),
      ("redis://[::1]x", "only a port, as in :6379, may follow the ']'"),
      ("redis://::1", "an IPv6 address stands in brackets: [::1]:6379"),
      ("redis://a b", "the host holds a character that no host name has"),
      ("redis://\u{e4}.example", "the host holds a character that no host name has"),
      ("unix://", "the path of a socket begins with '/': unix:///PATH"),
      ("unix://x", "the path of a socket begins with '/': unix:///PATH"),
      (
        "unix:///" + String(repeating: "x", count: 120),
        "the path of a socket has at most 107 bytes"
      ),
      ("redis://h,i", "the host holds a character that no host name has"),
      ("rediss://h#x", "nothing may follow a '#': the URL has no fragment"),
      ("rediss://h?", files), ("rediss://h?x=1", files), ("rediss://h?ca", files),
      ("rediss://h?CA=x", files), ("rediss://h?ca=a&", files),
      ("rediss://h?ca=", "a file behind the '?' is missing or misspelt"),
      ("rediss://h?ca=%zz", "a file behind the '?' is missing or misspelt"),
      ("rediss://h?ca=a%00", "a file behind the '?' is missing or misspelt"),
      ("rediss://h?ca=a&ca=a", "a parameter behind the '?' is given twice"),
      ("rediss://h?cert=a", "cert=FILE and key=FILE belong together"),
      ("rediss://h?ca=b&key=a", "cert=FILE and key=FILE belong together"),
      ("redis-sentinel://h", "the master's name, as in /NAME, must follow the sentinels"),
      ("redis-sentinel://h//1", "the master's name, as in /NAME, must follow the sentinels"),
      ("redis-sentinel://h/a b", "the master's name holds a character that no name has"),
      ("redis-sentinel://h,/name", "the host is missing"),
      ("redis-sentinel://h:0,i/name", "the port behind ':' is not a number from 1 to 65535"),
      ("redis-sentinel://h/name/x", "the database behind '/' is not a number from 0 to 1048575"),
      ("redis-sentinel://h/name?ca=x", "nothing may follow a '?': only TLS has parameters"),
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
