import SondeRecords

/// The members of one look-up, by name.
struct Lookup {
  let document: JSONDocument
  let members: Range<Int>

  /// The text of a member; a missing one and `null` are no text.
  ///
  /// - Throws: ``MalformedEntry`` when it is of another type than the documented one.
  func callAsFunction(_ name: StaticString) throws(MalformedEntry) -> TextRange {
    switch document.value(name, in: members) {
    case .string(let text): return text
    case .none, .null: return .none
    default: throw MalformedEntry()
    }
  }
}

/// A member of an answer is of another type than documented, so that none is to be believed.
struct MalformedEntry: Error {}

extension RemoteAPI {
  /// Settles an address as one that the provider has nothing about, and says so in the record.
  ///
  /// - Parameters:
  ///   - place: Where the address was asked.
  ///   - words: What the provider says of it; empty where it says nothing.
  ///   - matcher: The answer to the request.
  func settleAsUnknown(_ place: Int, _ words: String, in matcher: inout AnswerMatcher) {
    let message = matcher.append(text: nothingKnown(words))
    matcher.settle(place) { record in
      record.status = .unknown
      record[.message] = message
    }
  }
}

extension Record {
  /// Takes in an autonomous system.
  mutating func set(_ system: SystemNumber) {
    asn = system.number
    self[.asName] = system.name
  }

  /// Whether there is any fact about the address in it.
  var saysSomething: Bool {
    asn != 0 || !latitude.isNaN || !longitude.isNaN
      || TextField.allCases.contains { !self[$0].isEmpty }
  }
}
