import SondeRedis
import Testing

@testable import SondeStore

@Suite struct SharedVerdictTests {
  @Test func `what a server refuses for good ends a run that begins`() {
    let replies = [
      "NOAUTH Authentication required.",
      "WRONGPASS invalid username-password pair or user is disabled.",
      "ERR invalid password",
      "ERR AUTH <password> called without any password configured for the default user.",
      "ERR Client sent AUTH, but no password is set",
      "NOPERM this user has no permissions to run the 'eval' command",
      "NOPERM No permissions to access a key",
      "NOPERM ACL failure in script: User a has no permissions to run the 'set' command script: x",
      "ERR Error running script (call to f_x): @user_script:1: The user executing the script can't run"
        + " this command or subcommand",
      "ERR DB index is out of range", "ERR invalid DB index",
      "ERR SELECT is not allowed in cluster mode",
      "CROSSSLOT Keys in request don't hash to the same slot",
      "MOVED", "MOVED 3999", "MOVED 3999 127.0.0.1", "MOVED 3999 127.0.0.1:0", "ASK 1 h:65536",
      "ASK 1 h:", "MOVED 1 h:-1", "MOVED 1 h:6379 x",
      "ERR unknown command `EVAL`, with args beginning with: ",
      "ERR unknown subcommand 'LOAD'. Try SCRIPT HELP.",
      "ERR wrong number of arguments for 'auth' command", "ERR syntax error",
      "ERR Error compiling script (new function): user_script:1: '=' expected near 'x'",
      "DENIED Redis is running in protected mode", "UNKILLABLE", "WHATEVER", "ERR", "",
      "ERR a text that speaks of OOM and LOADING",
    ]
    for reply in replies { #expect(SharedVerdict(errorReply: reply) == .refusal, "\(reply)") }
  }

  @Test func `what passes by itself is waited for`() {
    let replies = [
      "READONLY You can't write against a read only replica.",
      "LOADING Redis is loading the dataset in memory",
      "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
      "CLUSTERDOWN The cluster is down", "TRYAGAIN Multiple keys request during rehashing of slot",
      "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist",
      "NOREPLICAS Not enough good replicas to write.", "BUSY Redis is busy running a script.",
      "ERR max number of clients reached",
      "ERR max number of clients + cluster connections reached",
      "ERR Error running script (call to f_x): @user_script:5: @user_script: 5: -READONLY You can't"
        + " write against a read only replica.",
    ]
    for reply in replies { #expect(SharedVerdict(errorReply: reply) == .absence, "\(reply)") }
  }

  @Test func `what Sonde can do something about is told apart`() {
    let replies: [(String, SharedVerdict)] = [
      ("OOM command not allowed when used memory > 'maxmemory'.", .fullness),
      (
        "ERR Error running script (call to f_x): @user_script:5: @user_script: 5: -OOM command not"
          + " allowed when used memory > 'maxmemory'.", .fullness
      ),
      ("WRONGTYPE Operation against a key holding the wrong kind of value", .foreignValue),
      (
        "ERR Error running script (call to f_x): @user_script:5: WRONGTYPE Operation against a key"
          + " holding the wrong kind of value", .foreignValue
      ),
      ("NOSCRIPT No matching script. Please use EVAL.", .forgottenScript),
    ]
    for (reply, verdict) in replies {
      #expect(SharedVerdict(errorReply: reply) == verdict, "\(reply)")
    }
  }

  @Test func `a node of a cluster names another one`() throws {
    let socket = RedisPlace.Socket.tcp(host: "here", port: 1)
    let replies: [(String, isOnce: Bool, RedisPlace.Socket)] = [
      ("MOVED 3999 127.0.0.1:6381", false, .tcp(host: "127.0.0.1", port: 6381)),
      ("ASK 3999 node.example:6381", true, .tcp(host: "node.example", port: 6381)),
      ("MOVED 3999 2001:db8::1:6381", false, .tcp(host: "2001:db8::1", port: 6381)),
      // A node that does not know its own address, or its name.
      ("MOVED 3999 :6381", false, .tcp(host: "here", port: 6381)),
      ("ASK 3999 ?:6381", true, .tcp(host: "here", port: 6381)),
    ]
    for (reply, isOnce, target) in replies {
      let verdict = SharedVerdict(errorReply: reply)
      let words = reply.split(separator: " ")
      let redirect = try #require(SharedRedirect(words))
      #expect(verdict == (isOnce ? .asked(redirect) : .moved(redirect)), "\(reply)")
      #expect(redirect.target(from: socket) == target, "\(reply)")
    }
    let unknown = try #require(SharedRedirect(["MOVED", "1", ":6381"]))
    #expect(unknown.target(from: .unix(path: "/run/redis.sock")) == nil)
  }

  @Test func `what is no Redis is refused, and what does not answer is waited for`() {
    #expect(SharedVerdict(RedisError(.unintelligible, "")) == .refusal)
    #expect(SharedVerdict(RedisError(.untrusted, "")) == .refusal)
    #expect(SharedVerdict(RedisError(.unusable, "")) == .refusal)
    #expect(SharedVerdict(RedisError(.unreachable, "")) == .absence)
    #expect(SharedVerdict(RedisError(.ended, "")) == .absence)
    #expect(SharedVerdict(RedisError(refusal: "LOADING x")) == .absence)
  }

  @Test func `the words of a server are one short line, without what it was sent`() {
    let echo = "ERR unknown command `AUTH`, with args beginning with: `me`, `hunter2-and-mo"
    #expect(RedisError(refusal: echo).description == "Redis says: ERR unknown command `AUTH`")
    let other = RedisError(refusal: "ERR no hunter2 here").withholding("hunter2")
    #expect(other.description == "Redis says: ERR no *** here")
    let control = RedisError(refusal: "ERR a\u{1b}[31m\u{9b}b\u{202e}c\nd")
    #expect(control.words == "ERR a [31m b c d")
    #expect(RedisError(refusal: String(repeating: "x", count: 9000)).words?.count == 300)
  }

  @Test func `a time is one between 2000 and 2100`() throws {
    func time(_ seconds: String, _ microseconds: String) throws(RedisError) -> Duration {
      try SharedSession.time([seconds, microseconds].map { .bytes(Array($0.utf8)) })
    }
    #expect(try time("1700000000", "250000") == .milliseconds(1_700_000_000_250))
    #expect(try time("946684800", "0") == .seconds(946_684_800))
    let wrong = [
      ("946684799", "0"), ("4102444800", "0"), ("0", "0"), ("-1", "0"),
      ("9223372036854775807", "0"),
      ("-9223372036854775808", "0"), ("99999999999999999999", "0"), ("", ""), ("x", "0"),
      ("1700000000", "1000000"), ("1700000000", "-1"), ("1700000000", "9223372036854775807"),
    ]
    for (seconds, microseconds) in wrong {
      #expect(throws: RedisError.self, "\(seconds)") { try time(seconds, microseconds) }
    }
    for replies: [RedisReply] in [[], [.nothing, .nothing], [.number(1), .number(2)]] {
      #expect(throws: RedisError.self) { try SharedSession.time(replies) }
    }
  }
}
