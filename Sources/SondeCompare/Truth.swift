import SondeAddresses
public import SondeRecords
import SondeSystem

/// Where an address really is, as far as that is known.
public struct TruePlace: Sendable, Equatable {
  /// The code of the country (ISO 3166-1 alpha-2) in capitals; empty if it is not known.
  public let countryCode: String
  /// The place; `nil` if it is not known.
  public let position: GeographicPosition?
}

/// A table of networks whose true places are known.
public struct Truth: Sendable {
  /// Why a table cannot be the truth.
  public enum Problem: Error, Equatable, CustomStringConvertible {
    /// It is about autonomous systems.
    case ofSystems
    /// It has no column of countries; with those that it has.
    case noCountries([String])

    /// The reason in plain words.
    public var description: String {
      switch self {
      case .ofSystems: "is a table of AS numbers, not of networks"
      case .noCountries(let names):
        "has no column country_code; its columns are "
          + names.map { "'\(escapedForPerson($0))'" }.joined(separator: ", ")
      }
    }
  }

  /// The name that the columns of the table begin with.
  public static let prefix = "truth"

  private let table: any ImmediateSource
  private let country: Int
  private let latitude: Int?
  private let longitude: Int?

  /// Takes a table whose columns begin with ``prefix``, and checks its columns.
  public init(_ table: any ImmediateSource) throws(Problem) {
    guard !table.isAboutSystems else { throw .ofSystems }
    let names = table.columns.map { String($0.name.dropFirst(Self.prefix.count + 1)) }
    guard let country = names.firstIndex(of: Field.countryCode.name) else {
      throw .noCountries(Array(names.dropFirst()))
    }
    (self.table, self.country) = (table, country)
    latitude = names.firstIndex(of: Field.latitude.name)
    longitude = names.firstIndex(of: Field.longitude.name)
  }

  /// The true places of addresses, in order; `nil` for one of which nothing is known.
  ///
  /// What is no code of two letters, or no number in its range, is no value.
  func places(of addresses: [Address]) -> [TruePlace?] {
    var values = AddedValues()
    table.append(valuesOf: addresses.span, to: &values)
    return addresses.indices.map { index in
      let first = index * table.columns.count
      let code = values.text(first + country)
      let isCode = code.utf8.count == 2 && code.utf8.allSatisfy { isLetter($0) }
      let place = TruePlace(
        countryCode: isCode ? code.uppercased() : "",
        position: GeographicPosition(
          latitude: number(values, first, latitude),
          longitude: number(values, first, longitude)
        )
      )
      return place.countryCode.isEmpty && place.position == nil ? nil : place
    }
  }

  private func number(_ values: AddedValues, _ first: Int, _ column: Int?) -> Double {
    column.flatMap { Double(values.text(first + $0)) } ?? .nan
  }

  private func isLetter(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
  }
}
