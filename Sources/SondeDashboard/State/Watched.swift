public import SondeRecords
import SondeSystem
import SondeWeb

/// A watched address of a user.
public struct Watched: Sendable {
  /// The part that the user edits.
  public struct Text: Sendable, Equatable {
    /// The displayed name.
    public var name: String

    /// The address, in its canonical form.
    public var address: String

    /// A note; `nil` if empty.
    public var note: String?

    package init(name: String, address: String, note: String? = nil) {
      (self.name, self.address, self.note) = (name, address, note)
    }
  }

  /// The maximum number of stored changes; the oldest are dropped.
  private static let mostChanges = 100

  /// Its identifier: 128 random bits.
  public let id: String
  let user: String

  /// Its position in the list, increasing with each addition.
  let number: Int64

  /// The part that the user edits.
  public internal(set) var text: Text

  /// The last answer, as a JSON object.
  var record: [UInt8]?

  /// The position of the answering provider in the list.
  var rank = 0

  /// The time of the last request.
  var checkedAt: Timestamp?

  /// The newest first.
  var changes: [JSON] = []

  /// The address as returned by the API.
  public var json: JSONObject {
    var object = JSONObject()
    addMembers(to: &object)
    return object
  }

  /// A change seen at `moment`, as sent to a webhook.
  func alert(at moment: Timestamp) -> JSONObject {
    var object = JSONObject()
    object.add("event", "watch")
    object.add("at", moment.withMilliseconds)
    addMembers(to: &object)
    return object
  }

  private func addMembers(to object: inout JSONObject) {
    object.add("id", id)
    object.add("name", text.name)
    object.add("address", text.address)
    object.add("note", optional: text.note)
    object.add("record", json: record ?? Array("null".utf8))
    object.add("checked_at", optional: checkedAt?.withMilliseconds)
    object.add("changes", json: JSON.array(changes).bytes)
  }

  /// Replaces the text; a new address discards the last answer and the changes.
  package mutating func write(_ new: Text) {
    if new.address != text.address { (record, rank, checkedAt, changes) = (nil, 0, nil, []) }
    text = new
  }

  /// Applies an answer, unless its provider is further down the list than that of the last one.
  ///
  /// - Returns: Whether something has changed.
  mutating func take(_ answer: [UInt8], rank: Int, at moment: Timestamp) -> Bool {
    checkedAt = moment
    if record != nil, rank > self.rank { return false }
    let found = Self.changes(from: record, to: answer, at: moment)
    (record, self.rank) = (answer, rank)
    changes = Array((found + changes).prefix(Self.mostChanges))
    return !found.isEmpty
  }

  /// Differences in country, network or city.
  ///
  /// Providers disagree, so only answers of the same one are compared.
  private static func changes(from old: [UInt8]?, to new: [UInt8], at moment: Timestamp) -> [JSON] {
    guard let old, let before = try? JSON(parsing: old), let after = try? JSON(parsing: new),
      before["source"] == after["source"]
    else { return [] }
    let readers: [(String, (JSON) -> String?)] = [
      ("country", { $0["country"]?.text ?? $0["country_code"]?.text }),
      ("network", networkText),
      ("city", { $0["city"]?.text }),
    ]
    return readers.compactMap { field, read in
      let (from, to) = (read(before), read(after))
      guard from != to else { return nil }
      return [
        "at": .string(moment.withMilliseconds), "field": .string(field), "from": JSON(from),
        "to": JSON(to),
      ]
    }
  }

  private static func networkText(_ record: JSON) -> String? {
    let number = record["asn"]?.digits.map { "AS\($0)" }
    let words = [number, record["as_name"]?.text].compactMap(\.self)
    return words.isEmpty ? record["network"]?.text : words.joined(separator: " ")
  }
}
