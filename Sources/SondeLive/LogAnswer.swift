package import SondeAddresses

/// A place of the map.
package struct LogPlace: Sendable, Hashable {
  /// In degrees.
  package let latitude, longitude: Double
  /// For a person.
  package let name: String

  package init(latitude: Double, longitude: Double, name: String) {
    (self.latitude, self.longitude, self.name) = (latitude, longitude, name)
  }
}

/// An address without an answer, or whose answer is old.
package struct LogQuestion: Sendable, Hashable {
  package let number: UInt32
  package let address: Address
  package let zone: [UInt8]?
}

/// The answer about an address.
package struct LogAnswer: Sendable {
  package let question: LogQuestion
  /// When it was given, in seconds since 1970 UTC.
  package let asked: Int64
  /// The record as `TableRow`.
  package let row: [UInt8]
  /// What stands behind the address in a line, with its brackets.
  package let words: [UInt8]
  package let place: LogPlace?

  var number: UInt32 { question.number }

  package init(
    _ question: LogQuestion,
    asked: Int64,
    row: [UInt8],
    words: [UInt8],
    place: LogPlace?
  ) {
    (self.question, self.asked, self.row, self.words) = (question, asked, row, words)
    self.place = place
  }
}
