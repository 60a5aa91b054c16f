import SondeRecords

/// The members of a look-up, by name.
struct EntryMembers {
  let document: JSONDocument
  let members: Range<Int>

  /// The text of a member, empty if it is missing or `null`; fails if it has another type than
  /// documented.
  func callAsFunction(_ name: StaticString) throws(MalformedEntry) -> TextRange {
    switch document.value(name, in: members) {
    case .string(let text): return text
    case .none, .null: return .none
    default: throw MalformedEntry()
    }
  }
}

extension EntryMembers {
  /// The members of an object within it; `nil` if it is missing or `null`; fails if it is no object.
  func members(of name: StaticString) throws(MalformedEntry) -> EntryMembers? {
    switch document.value(name, in: members) {
    case .object(let members): return EntryMembers(document: document, members: members)
    case .none, .null: return nil
    default: throw MalformedEntry()
    }
  }

  /// A boolean member, false if it is missing or `null`; fails if it has another type.
  func flag(_ name: StaticString) throws(MalformedEntry) -> Bool {
    switch document.value(name, in: members) {
    case .bool(let flag): return flag
    case .none, .null: return false
    default: throw MalformedEntry()
    }
  }
}

/// A member of an answer has another type than documented, so the entry is not trusted.
struct MalformedEntry: Error {}

extension RemoteAPI {
  /// The message of a record about which this provider knows nothing.
  func nothingKnown(_ words: String) -> String {
    words.isEmpty ? "\(source.name) has nothing about it" : "\(source.name): \(words)"
  }

  /// Settles the address at a position as unknown to the provider, with its message, if any; `time` is
  /// that of the answer, in seconds since 1970 UTC.
  func settleAsUnknown(
    _ place: Int,
    _ words: String,
    _ time: Int64,
    in matcher: inout AnswerMatcher
  ) {
    let message = matcher.append(text: nothingKnown(words))
    matcher.settle(place) { record in
      record.status = .unknown
      record.fetchedAt = time
      record[.message] = message
    }
  }
}

extension Record {
  mutating func set(_ system: SystemNumber) {
    asn = system.number
    self[.asName] = system.name
  }

  /// Whether it contains any fact about the address.
  var saysSomething: Bool {
    asn != 0 || !latitude.isNaN || !longitude.isNaN || isTor != nil
      || TextField.allCases.contains { !self[$0].isEmpty }
  }
}
