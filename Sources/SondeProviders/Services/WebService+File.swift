import SondeAddresses
import SondeCatalog
import SondeRecords
import SondeSystem
import SondeTransfer

/// Why a file describes no service.
public struct WebServiceFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The reason in plain words, without values that may be secret.
  public let description: String

  init(_ description: String) { self.description = description }
}

extension WebService {
  /// The size of the largest file, in bytes.
  public static let longestFile = 1 << 20

  /// The limit of a service whose file states none.
  private static let usualAllowance = Allowance(requests: 1, per: .seconds(1))

  /// Reads the row that a user has written: one object of JSON.
  ///
  /// A header's value `$NAME` is that of a variable of the environment.
  public init(
    file: [UInt8],
    named name: String,
    environment: [String: String]
  ) throws(WebServiceFileError) {
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: file)
    } catch {
      throw WebServiceFileError("is not JSON: \(error.reason)")
    }
    guard let members = document.root.members else {
      throw WebServiceFileError("is not one object of JSON")
    }
    let parts = try ServiceMembers(document, members)
    self.init(name, try parts.url(), Self.usualAllowance, columns: try parts.columns(of: name))
    if let value = parts["quota"] { allowance = try parts.quota(value) }
    if let value = parts["unknown"] {
      unknown = Set(try parts.numbers(value, "unknown", 100...599))
    }
    if let value = parts["keep"] { lifetime = try parts.duration(value) }
    if let value = parts["families"] {
      let numbers = try parts.numbers(value, "families", 4...6)
      families = Set(numbers.compactMap { Family(rawValue: $0) })
      guard families.count == Set(numbers).count, !families.isEmpty else {
        throw WebServiceFileError("families: expected [4], [6] or [4, 6]")
      }
    }
    if let value = parts["ip"] { address = try parts.pointer(value, "ip") }
    if let value = parts["headers"] { try takeHeaders(value, document, environment) }
    try checkPlaces()
  }

  private mutating func takeHeaders(
    _ value: JSONDocument.Value,
    _ document: JSONDocument,
    _ environment: [String: String]
  ) throws(WebServiceFileError) {
    for (name, value) in try document.members(value, "headers") {
      guard let text = value.text.map(document.string) else {
        throw WebServiceFileError("headers: the value of \(name) is no text")
      }
      if let variable = Self.variable(in: text) {
        guard !variable.hasPrefix("SONDE_") else {
          throw WebServiceFileError("headers: $\(variable) is Sonde's own; use another variable")
        }
        guard let secret = environment[variable], !secret.isEmpty else {
          throw WebServiceFileError("headers: the variable \(variable) is not set")
        }
        secretHeaders.append((name, secret))
      } else if name.lowercased() == "authorization" {
        secretHeaders.append((name, text))
      } else {
        headers.append((name, text))
      }
    }
  }

  /// The name of the variable, if a value consists of one.
  private static func variable(in text: String) -> String? {
    let name = text.dropFirst()
    guard text.first == "$", let first = name.utf8.first, !(0x30...0x39 ~= first),
      name.utf8.allSatisfy({ byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          0x30...0x39, UInt8(ascii: "_"):
          true
        default: false
        }
      })
    else { return nil }
    return String(name)
  }

  /// Checks where the questions and their headers are sent.
  private func checkPlaces() throws(WebServiceFileError) {
    guard url.contains("{ip}") else {
      throw WebServiceFileError("url: {ip} is missing, where the address is put")
    }
    let places = ["192.0.2.1", "198.51.100.2"].map { url.replacing("{ip}", with: $0) }
    let ends = places.compactMap { try? Endpoint(url: $0) }
    guard ends.count == 2, let endpoint = ends.first else {
      throw WebServiceFileError("url: expected an https:// or http:// URL with a host")
    }
    let authority = url.split(separator: "/", maxSplits: 3).dropFirst().first ?? ""
    guard ends[0] == ends[1], !authority.contains("@") else {
      throw WebServiceFileError("url: the host has neither {ip} nor a user")
    }
    guard endpoint.isPrivate else {
      throw WebServiceFileError("url: \(endpoint.authority) is not asked without TLS; use https://")
    }
    guard secretHeaders.isEmpty || endpoint.isSecure || endpoint.isLoopback else {
      let names = secretHeaders.map(\.name).joined(separator: ", ")
      throw WebServiceFileError(
        "headers: \(names) would go to \(endpoint.authority) without TLS; use https://"
      )
    }
    if let problem = request(about: .init(ipv4: 0), mirror: nil, key: nil).headerProblem {
      throw WebServiceFileError("headers: \(problem)")
    }
  }
}

/// The members of a service's file, none of them unknown.
private struct ServiceMembers {
  private static let names = [
    "url", "headers", "quota", "unknown", "keep", "families", "columns", "ip",
  ]

  private let document: JSONDocument
  private let members: [String: JSONDocument.Value]

  init(_ document: JSONDocument, _ members: Range<Int>) throws(WebServiceFileError) {
    self.document = document
    let known = try document.members(.object(members), "the file")
    for (name, _) in known where !Self.names.contains(name) {
      let names = Self.names.joined(separator: ", ")
      throw WebServiceFileError("unknown member '\(name.confined)': expected \(names)")
    }
    self.members = Dictionary(known.map { ($0.name, $0.value) }) { first, _ in first }
  }

  subscript(name: String) -> JSONDocument.Value? { members[name] }

  func url() throws(WebServiceFileError) -> String {
    guard let text = self["url"]?.text.map(document.string) else {
      throw WebServiceFileError("url is missing, or no text")
    }
    guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw WebServiceFileError("url: expected visible ASCII characters without spaces")
    }
    return text
  }

  func columns(of source: String) throws(WebServiceFileError) -> [WebService.Column] {
    guard let value = self["columns"] else { throw WebServiceFileError("columns is missing") }
    let rows = try document.members(value, "columns")
    guard !rows.isEmpty else { throw WebServiceFileError("columns: there is none") }
    return try rows.map { name, value throws(WebServiceFileError) in
      guard !name.isEmpty, name.utf8.count <= 64, columnName(name) == name, name != "status" else {
        throw WebServiceFileError(
          "columns: '\(name.confined)' cannot be a name: use letters, digits and _, and not status"
        )
      }
      let (pointer, type) = try column(value, "columns: \(name)")
      let column = AddedColumn(name: "\(source)_\(name)", type.form)
      return WebService.Column(column, at: pointer, type)
    }
  }

  private func column(
    _ value: JSONDocument.Value,
    _ place: String
  ) throws(WebServiceFileError) -> (JSONPointer, WebService.ValueType) {
    guard value.members != nil else { return (try pointer(value, place), .text) }
    let parts = try document.members(value, place)
    if let stray = parts.first(where: { !["at", "type"].contains($0.name) }) {
      throw WebServiceFileError("\(place): unknown member '\(stray.name.confined)'")
    }
    guard let at = parts.first(where: { $0.name == "at" }) else {
      throw WebServiceFileError("\(place): 'at' is missing")
    }
    let name = parts.first { $0.name == "type" }.map { $0.value.text.map(document.string) ?? "" }
    let type = WebService.ValueType.named.first { $0.rawValue == name ?? "text" }
    guard let type else {
      let types = WebService.ValueType.named.map(\.rawValue).joined(separator: ", ")
      throw WebServiceFileError("\(place): type: expected one of \(types)")
    }
    return (try pointer(at.value, place), type)
  }

  func pointer(
    _ value: JSONDocument.Value,
    _ place: String
  ) throws(WebServiceFileError) -> JSONPointer {
    guard let pointer = value.text.flatMap({ JSONPointer(document.string($0)) }) else {
      throw WebServiceFileError("\(place): expected a JSON Pointer such as /data/name")
    }
    return pointer
  }

  func quota(_ value: JSONDocument.Value) throws(WebServiceFileError) -> Allowance {
    let parts = value.text.map(document.string)?
      .split(separator: "/", omittingEmptySubsequences: false)
    let periods: [Substring: Int] = ["s": 1, "min": 60, "day": 86_400]
    guard let parts, parts.count == 2, let seconds = periods[parts[1]],
      parts[0].utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let requests = Int(parts[0]),
      1...1_000_000_000 ~= requests
    else { throw WebServiceFileError("quota: expected requests as 1/s, 60/min or 1000/day") }
    return Allowance(requests: requests, per: .seconds(seconds))
  }

  func duration(_ value: JSONDocument.Value) throws(WebServiceFileError) -> Duration {
    guard let text = value.text.map(document.string), let keep = try? Duration(text: text) else {
      throw WebServiceFileError("keep: expected a time as 30m, 12h or 1d")
    }
    return keep
  }

  func numbers(
    _ value: JSONDocument.Value,
    _ place: String,
    _ range: ClosedRange<Int64>
  ) throws(WebServiceFileError) -> [Int] {
    var (numbers, isSound): ([Int], Bool) = ([], false)
    if case .array(let elements) = value {
      isSound = true
      document.forEachElement(elements) { element in
        if case .integer(let number) = element, range.contains(number) {
          numbers.append(Int(number))
        } else {
          isSound = false
        }
      }
    }
    guard isSound else {
      let (first, last) = (range.lowerBound, range.upperBound)
      throw WebServiceFileError("\(place): expected numbers from \(first) to \(last) in [ ]")
    }
    return numbers
  }
}

extension JSONDocument {
  /// The members of an object, none of them twice.
  fileprivate func members(
    _ value: Value,
    _ place: String
  ) throws(WebServiceFileError) -> [(name: String, value: Value)] {
    guard let members = value.members else {
      throw WebServiceFileError("\(place): expected an object")
    }
    var found: [(name: String, value: Value)] = []
    forEachMember(members) { found.append((string($0), $1)) }
    let names = found.map(\.name)
    if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw WebServiceFileError("\(place): '\(twice.confined)' stands there twice")
    }
    return found
  }
}
