extension RedisPlace {
  static func user(_ name: Substring) throws(FormatError) -> String {
    guard !name.contains(":") else {
      throw FormatError(
        description: """
          it holds a password, which every user of this machine could read in the list of processes; \
          set SONDE_SHARED_PASSWORD instead
          """
      )
    }
    guard !name.isEmpty else { throw FormatError(description: "the user before '@' is missing") }
    guard !name.contains(where: { "/?#".contains($0) || $0.isWhitespace }) else {
      throw FormatError(description: "the user before '@' holds a '/', '?', '#' or blank")
    }
    return String(name)
  }

  static func local(_ path: String) throws(FormatError) -> Socket {
    guard path.hasPrefix("/"), !path.utf8.contains(0) else {
      throw FormatError(description: "the path of a socket begins with '/': unix:///PATH")
    }
    // sun_path, unix(7)
    guard path.utf8.count < 108 else {
      throw FormatError(description: "the path of a socket has at most 107 bytes")
    }
    return .unix(path: path)
  }

  /// Parses `HOST[:PORT]`, with IPv6 addresses in brackets.
  static func remote(_ authority: Substring, port usual: UInt16) throws(FormatError) -> Socket {
    var (host, rest) = (authority, Substring())
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else {
        throw FormatError(description: "the ']' behind the IPv6 address is missing")
      }
      host = authority[authority.index(after: authority.startIndex)..<end]
      rest = authority[authority.index(after: end)...]
    } else if let colon = authority.firstIndex(of: ":") {
      (host, rest) = (authority[..<colon], authority[colon...])
      guard !rest.dropFirst().contains(":") else {
        throw FormatError(description: "an IPv6 address stands in brackets: [::1]:\(usual)")
      }
    }
    guard !host.isEmpty else { throw FormatError(description: "the host is missing") }
    guard isVisible(host), !host.contains(where: { "\\\"'<>[]{}|^`,".contains($0) }) else {
      throw FormatError(description: "the host holds a character that no host name has")
    }
    guard !rest.isEmpty else { return .tcp(host: String(host), port: usual) }
    guard rest.hasPrefix(":") else {
      throw FormatError(description: "only a port, as in :\(usual), may follow the ']'")
    }
    guard let port = number(rest.dropFirst()).flatMap({ UInt16(exactly: $0) }), port > 0 else {
      throw FormatError(description: "the port behind ':' is not a number from 1 to 65535")
    }
    return .tcp(host: String(host), port: port)
  }

  /// Parses `HOST[:PORT],…` and `NAME[/DB]`.
  static func master(
    _ authorities: Substring,
    _ path: Substring
  ) throws(FormatError) -> (Server, database: Int) {
    var sentinels: [Socket] = []
    for authority in authorities.split(separator: ",", omittingEmptySubsequences: false) {
      sentinels.append(try remote(authority, port: 26_379))
    }
    let parts = path.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, !name.isEmpty else {
      throw FormatError(description: "the master's name, as in /NAME, must follow the sentinels")
    }
    guard isVisible(name) else {
      throw FormatError(description: "the master's name holds a character that no name has")
    }
    let server = Server.master(name: String(name), sentinels: sentinels)
    return (server, try database(parts.count > 1 ? parts[1] : ""))
  }

  static func database(_ text: Substring) throws(FormatError) -> Int {
    guard !text.isEmpty else { return 0 }
    guard !text.contains("/") else {
      throw FormatError(description: "only the number of a database, as in /0, may come last")
    }
    guard let number = number(text), number < 1 << 20 else {
      throw FormatError(description: "the database behind '/' is not a number from 0 to 1048575")
    }
    return number
  }

  /// Parses the parameters of TLS.
  static func files(_ query: Substring?) throws(FormatError) -> TLSFiles {
    var files = TLSFiles()
    for parameter in query?.split(separator: "&", omittingEmptySubsequences: false) ?? [] {
      let halves = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let member = parameters.first(where: { $0.name == halves[0] })?.member,
        halves.count == 2
      else {
        throw FormatError(description: "only ca=FILE, cert=FILE and key=FILE may follow the '?'")
      }
      guard let path = unescaped(halves[1]), !path.isEmpty else {
        throw FormatError(description: "a file behind the '?' is missing or misspelt")
      }
      guard files[keyPath: member] == nil else {
        throw FormatError(description: "a parameter behind the '?' is given twice")
      }
      files[keyPath: member] = path
    }
    guard (files.certificate == nil) == (files.key == nil) else {
      throw FormatError(description: "cert=FILE and key=FILE belong together")
    }
    return files
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  private static func isVisible(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
  }

  /// The text with each `%XX` decoded; `nil` if it is not valid, or contains a NUL.
  private static func unescaped(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, let value = UInt8(Substring(digits), radix: 16) else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }
}

extension RedisPlace {
  fileprivate static var parameters: [(name: String, member: WritableKeyPath<TLSFiles, String?>)] {
    [("ca", \.authorities), ("cert", \.certificate), ("key", \.key)]
  }
}

extension RedisPlace.TLSFiles {
  /// The parameters of a URL, with the `?` before them.
  var query: String {
    let given = RedisPlace.parameters.compactMap { name, member in
      self[keyPath: member].map { "\(name)=\(Self.escaped($0))" }
    }
    return given.isEmpty ? "" : "?" + given.joined(separator: "&")
  }

  private static func escaped(_ path: String) -> String {
    path.replacing("%", with: "%25").replacing("&", with: "%26").replacing("#", with: "%23")
      .replacing("@", with: "%40")
  }
}
