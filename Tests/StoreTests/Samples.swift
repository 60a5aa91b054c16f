import SondeAddresses
import Foundation
import SondeRecords
import TestSupport

@testable import SondeStore
import SondeSystem

extension AnswerScope {
  /// What most tests ask.
  static let usual = AnswerScope(
    provider: "ip-api",
    endpoint: "http://ip-api.com",
    account: "",
    language: "en",
    fields: 0b0110
  )

  /// The same asked of another provider.
  static let other = AnswerScope(
    provider: "ipinfo",
    endpoint: "https://ipinfo.io",
    account: "1f2e",
    language: "en",
    fields: 0
  )
}

extension RecordBlock {
  /// An answer for each number from `first` on, as an IPv4 address or else an IPv6 one, which says
  /// in which city it is.
  init(
    _ first: UInt32,
    count: Int,
    city: String = "City",
    isIPv6: Bool = false,
    at time: Int64? = nil
  ) {
    self.init()
    for number in first..<first + UInt32(count) {
      var record = answer(number, city, isIPv6: isIPv6)
      record.fetchedAt = time ?? record.fetchedAt
      append(record)
    }
  }

  private mutating func answer(_ number: UInt32, _ city: String, isIPv6: Bool) -> Record {
    var record = Record(address: .numbered(number, isIPv6: isIPv6), status: .ok)
    record.source = Source(0)
    record.fetchedAt = Timestamp.now.seconds
    record[.countryCode] = append(text: "CA")
    record[.country] = append(text: "Canada")
    record[.city] = append(text: "\(city) \(number)")
    record[.asName] = append(text: "Le Groupe Videotron Ltee")
    (record.latitude, record.longitude, record.asn) = (45.6085, -73.5493, 5769)
    return record
  }

  mutating func append(_ record: Record) { records.append(record) }

  /// The cities, by record.
  var cities: [String?] { records.map { text(.city, of: $0) } }

  /// Everything that is to be the same in an answer from the cache.
  var contents: [String] {
    records.map { record in
      let texts = TextField.allCases.dropFirst().map { text($0, of: record) ?? "-" }
      let numbers = [record.latitude, record.longitude].map { "\($0)" }
      let flags =
        [
          record.isMobile, record.isProxy, record.isHosting, record.isTor, record.isVPN,
          record.isRelay,
        ].map { "\($0 as Bool?)" } + ["\(record.accuracyRadius as UInt16?)"]
      let address = record.address.map { "\($0)" } ?? "-"
      return
        ([
          address, record.status.name, record.source.map { "\($0.number)" } ?? "-", "\(record.asn)",
        ]
        + ["\(record.fetchedAt ?? -1)"] + numbers + flags + texts).joined(separator: "|")
    }
  }
}

extension Address {
  /// An address for a number.
  static func numbered(_ number: UInt32, isIPv6: Bool = false) -> Address {
    isIPv6
      ? Address(high: 0x2a00_1450_4001_0000, low: UInt64(number) << 20 | 0x2002)
      : Address(ipv4: number)
  }
}

extension [Address] {
  /// The addresses for some numbers.
  static func numbered(_ numbers: Range<UInt32>, isIPv6: Bool = false) -> [Address] {
    numbers.map { .numbered($0, isIPv6: isIPv6) }
  }
}

extension ScratchFolder {
  var cache: String { "\(path)/cache.db" }

  /// Makes a store on the cache in it.
  func store(_ warnings: Shared<[String]>? = nil, limits: StoreLimits = StoreLimits()) -> Store {
    Store(path: cache, limits: limits) { warning in
      warnings?.append(warning)
    }
  }

  var quotas: String { "\(path)/quota.db" }

  /// Makes a ledger in it.
  func ledger() -> Ledger { Ledger(folder: path) { _ in } }

  /// The permissions of a file.
  func permissions(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
    return (attributes[.posixPermissions] as? Int) ?? -1
  }
}

extension StoreLimits {
  /// Limits so low that everything happens in a small test.
  static var low: StoreLimits {
    var limits = StoreLimits()
    (limits.idleFrames, limits.mostFrames, limits.trimming) = (16, 64, 500)
    return limits
  }
}

extension Store {
  /// The cities of the addresses that there are answers to.
  func cities(
    _ addresses: [Address],
    in scope: AnswerScope = .usual,
    youngerThan age: Duration? = .seconds(3600)
  ) async -> [String?] {
    await lookUp(addresses, in: scope, youngerThan: age).block.cities
  }
}
