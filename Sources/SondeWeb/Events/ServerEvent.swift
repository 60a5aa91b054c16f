/// Something that pages are told of by an event stream.
public struct ServerEvent: Sendable, Equatable {
  /// What has happened, one word.
  public var name: String

  /// More of it, often JSON; never empty, for browsers drop events without data.
  public var data: String

  /// The user who may know; `nil` is everybody.
  public var owner: String?

  /// Names an event.
  public init(_ name: String, data: String, owner: String? = nil) {
    (self.name, self.data, self.owner) = (name, data, owner)
  }

  /// Names an event with a value of JSON.
  public init(_ name: String, _ value: JSON, owner: String? = nil) {
    self.init(name, data: String(decoding: value.bytes, as: UTF8.self), owner: owner)
  }

  /// As it is sent (WHATWG HTML §9.2.6).
  ///
  /// - Parameter id: Where the stream resumes after it; `nil` is where it was.
  /// - Returns: The lines, and an empty one.
  func bytes(id: UInt64?) -> [UInt8] {
    var text = id.map { "id: \($0)\n" } ?? ""
    text += "event: \(name)\n"
    let ends: Set<Character> = ["\n", "\r", "\r\n"]
    for line in data.split(omittingEmptySubsequences: false, whereSeparator: ends.contains) {
      text += "data: \(line)\n"
    }
    return Array((text + "\n").utf8)
  }
}
