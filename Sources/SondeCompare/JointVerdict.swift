public import SondeRecords

/// How far the record of an address can be believed.
public enum Confidence: String, Sendable, CaseIterable {
  case high, medium, low
}

/// What several sources say of an address, weighed: a pure value.
public struct JointVerdict: Sendable, Equatable {
  /// ``Status/ok`` if a source has answered so, else the worst of theirs.
  public let status: Status
  /// The country that most sources name, of a tie that of the earliest; empty if none names one.
  public let countryCode: String
  /// The number of sources that name a country.
  public let countryVoices: Int
  /// Their share that names this one, from 0 to 1; `nil` without a country.
  public let agreement: Double?
  /// The same share of the AS number that most sources name.
  public let asAgreement: Double?
  /// The whole kilometres between the two places farthest apart; `nil` for fewer than two places.
  public let distance: Int?
  /// How far the country can be believed; `nil` without one.
  public let confidence: Confidence?
  /// The place that the earliest source with this country gives.
  public let position: GeographicPosition?

  /// The largest distance in kilometres at which sources speak of one place.
  private static let closeness = 100

  /// The statuses of sources without an answer, the worst first.
  private static let worst: [Status] = [.networkLost, .failed, .unknown]

  /// Weighs what the sources say, in the order of the sources.
  public init(of opinions: [Opinion]) {
    status = Self.status(of: opinions)
    let countries = Vote(opinions.lazy.map(\.countryCode).filter { !$0.isEmpty })
    countryCode = countries.choice ?? ""
    countryVoices = countries.voices
    agreement = countries.share
    asAgreement = Vote(opinions.lazy.map(\.asn).filter { $0 != 0 }).share
    distance = Self.greatestDistance(of: opinions.compactMap(\.position))
    position = Self.position(in: countryCode, of: opinions)
    let isUnited = countries.voices >= 2 && countries.votes == countries.voices
    if countries.choice == nil {
      confidence = nil
    } else if isUnited, distance ?? 0 <= Self.closeness {
      confidence = .high
    } else if countries.voices >= 2, 2 * countries.votes > countries.voices {
      confidence = .medium
    } else {
      confidence = .low
    }
  }

  private static func status(of opinions: [Opinion]) -> Status {
    if opinions.contains(where: { $0.status == .ok }) { return .ok }
    return worst.first { status in opinions.contains { $0.status == status } } ?? .unknown
  }

  private static func position(in country: String, of opinions: [Opinion]) -> GeographicPosition? {
    opinions.lazy.filter { $0.countryCode == country }.compactMap(\.position).first
  }

  private static func greatestDistance(of places: [GeographicPosition]) -> Int? {
    guard places.count > 1 else { return nil }
    let directions = places.map(\.direction)
    var greatest = 0.0
    for (index, direction) in directions.enumerated() {
      for other in directions[(index + 1)...] {
        greatest = max(greatest, direction.distance(to: other))
      }
    }
    return Int(greatest.rounded())
  }
}

/// A vote among values, each source having one voice.
struct Vote<Value: Equatable & Sendable>: Sendable {
  /// The value with the most votes, of a tie the earliest; `nil` without voices.
  let choice: Value?
  /// Its number of votes.
  let votes: Int
  /// The number of votes for all.
  let voices: Int

  /// The share of the votes for the choice; `nil` without voices.
  var share: Double? { voices == 0 ? nil : Double(votes) / Double(voices) }

  /// Counts voices, of which there are few.
  init(_ values: some Sequence<Value>) {
    var (choice, most, voices): (Value?, Int, Int) = (nil, 0, 0)
    for value in values {
      voices += 1
      // The next of the same value finds no more votes.
      guard value != choice else { continue }
      var votes = 0
      for other in values where other == value { votes += 1 }
      if votes > most { (choice, most) = (value, votes) }
    }
    (self.choice, votes, self.voices) = (choice, most, voices)
  }
}

extension Double {
  /// The nearest number with three decimals.
  var thousandths: Double { (self * 1000).rounded() / 1000 }
}
