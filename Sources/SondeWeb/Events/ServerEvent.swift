/// An event that is sent to pages by an event stream.
public struct ServerEvent: Sendable, Equatable {
  /// The kind of event, in one word.
  public var name: String

  /// The content, often JSON; never empty, since browsers drop events without data.
  public var data: String

  /// The user who may receive it; `nil` for everybody.
  public var owner: String?

  /// What it is about, for streams that asked for that; `nil` for all streams.
  ///
  /// An event with a topic is not kept for streams that resume.
  public var topic: String?

  /// Creates an event.
  public init(_ name: String, data: String, owner: String? = nil) {
    (self.name, self.data, self.owner) = (name, data, owner)
  }

  /// Creates an event with JSON data.
  public init(_ name: String, _ value: JSON, owner: String? = nil) {
    self.init(name, data: String(decoding: value.bytes, as: UTF8.self), owner: owner)
  }

  /// The event in its sent form (WHATWG HTML §9.2.6).
  ///
  /// The ID is the position to resume from after this event; `nil` leaves it unchanged.
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
