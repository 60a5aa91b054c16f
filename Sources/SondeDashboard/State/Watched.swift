public import SondeRecords
import SondeSystem
import SondeWeb

/// An address that somebody wants to know the changes of.
public struct Watched: Sendable {
  /// What a person writes of it.
  public struct Text: Sendable, Equatable {
    /// What it is called.
    public var name: String

    /// The address, in its canonical form.
    public var address: String

    /// Anything else; `nil` for nothing.
    public var note: String?

    /// Makes one of its parts.
    package init(name: String, address: String, note: String? = nil) {
      self.name = name
      self.address = address
      self.note = note
    }
  }

  /// The most changes that are kept; the oldest go first.
  private static let mostChanges = 100

  /// What it is known by: 128 random bits.
  public let id: String

  /// Whose it is.
  let user: String

  /// Its place in the list; rises with each that is added.
  let number: Int64

  /// What a person wrote of it.
  public internal(set) var text: Text

  /// The last answer, as a JSON object; `nil` before the first.
  var record: [UInt8]?

  /// The place of who gave it in the list of providers.
  var rank = 0

  /// When it was asked for last.
  var checkedAt: Timestamp?

  /// What has changed, the newest first.
  var changes: [JSON] = []

  /// The thing as returned by the API.
  public var json: JSONObject {
    var object = JSONObject()
    addMembers(to: &object)
    return object
  }

  /// A change as sent to a webhook.
  ///
  /// - Parameter moment: When it was seen.
  /// - Returns: The thing, with what happened and when.
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

  /// Replaces what a person wrote; of another address nothing is known.
  package mutating func write(_ new: Text) {
    if new.address != text.address { (record, rank, checkedAt, changes) = (nil, 0, nil, []) }
    text = new
  }

  /// Takes an answer, unless it is of a provider further down the list than that which is known.
  ///
  /// - Parameters:
  ///   - answer: The record as a JSON object.
  ///   - rank: The place of who gave it in the list of providers.
  ///   - moment: When it was asked for.
  /// - Returns: Whether something has changed.
  mutating func take(_ answer: [UInt8], rank: Int, at moment: Timestamp) -> Bool {
    checkedAt = moment
    if record != nil, rank > self.rank { return false }
    let found = Self.changes(from: record, to: answer, at: moment)
    (record, self.rank) = (answer, rank)
    changes = Array((found + changes).prefix(Self.mostChanges))
    return !found.isEmpty
  }

  /// What is another country, network or city than before.
  ///
  /// Providers do not agree in everything: only answers of the same one tell a change.
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
