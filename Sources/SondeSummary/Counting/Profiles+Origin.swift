public import SondeAddresses

extension Profiles {
  /// Where an address belongs, with empty texts and a 0 for what is not known.
  public struct Origin: Hashable, Comparable, Sendable {
    /// The code of the country.
    public let countryCode: String
    /// The number of the autonomous system.
    public let asn: UInt32
    /// The name of the autonomous system.
    public let asName: String

    /// What is known comes before what is not.
    public static func < (left: Origin, right: Origin) -> Bool {
      let (one, other) = (left.keys, right.keys)
      return one.lexicographicallyPrecedes(other)
    }

    private var keys: [String] {
      [countryCode, asn == 0 ? "" : String(asn), asName].map { $0.isEmpty ? "\u{10ffff}" : $0 }
    }
  }

  /// Where the addresses of a profile belong.
  public func origin(of id: ID) -> Origin {
    let profile = all[id.index]
    return Origin(countryCode: profile.countryCode, asn: profile.asn, asName: profile.asName)
  }

  /// Where the address of a question belongs; `nil` without an answer.
  public func origin(ofAnswerTo question: Int) -> Origin? {
    answer(to: question).map { origin(of: $0) }
  }
}

extension AddressCounts {
  /// The address of a question, with its zone.
  public func address(of question: Question) -> (address: Address, zone: [UInt8]?) {
    (entries[question.entry].address, zones[question.entry])
  }

  /// Calls a function for each question with its number, address, zone and hits.
  public func forEachQuestion(_ body: (Int, Address, [UInt8]?, Int) -> Void) {
    for (index, entry) in entries.enumerated() {
      guard let question = entry.meaning.question else { continue }
      body(question, entry.address, zones[index], entry.hits)
    }
  }
}
