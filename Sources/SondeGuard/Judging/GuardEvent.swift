import SondeAddresses
package import SondeRecords
import SondeSystem
package import SondeWeb

/// The event of an alert: a JSON object.
package struct GuardEvent: Sendable, Equatable {
  /// The members, in their order.
  package private(set) var members: [(String, JSON)]

  /// The member behind which the place of the address stands.
  private static let beforePlace = "text"

  /// Reads an event; `nil` if it is not an object.
  package init?(_ bytes: [UInt8]) {
    guard let members = (try? JSON(parsing: bytes))?.members else { return nil }
    self.members = members
  }

  /// Creates the event of a finding; `at` is when it is raised, and `id` unlike that of any other.
  init(
    _ finding: GuardFinding,
    of hit: GuardHit,
    _ key: [(String, JSON)],
    name: String?,
    at moment: Timestamp,
    id: String
  ) {
    let time = { (milliseconds: Int64) in
      JSON.string(Timestamp(milliseconds: milliseconds).withMilliseconds)
    }
    members = [
      ("event", "alert"), ("at", .string(moment.withMilliseconds)), ("id", .string(id)),
      ("name", JSON(name)), ("time", time(hit.time)), ("first", time(finding.first)),
      ("count", .integer(Int64(finding.count))), ("key", .object(key)),
      ("ip", .string(hit.addressText)), ("input", .string(hit.input)), ("text", .string(hit.text)),
    ]
    if name == nil { members.removeAll { $0.0 == "name" } }
    if let before = finding.before {
      members.append(("before", .array(before.map { .string($0) })))
    }
    guard let from = finding.from else { return }
    let place: [(String, JSON)] = [
      ("ip", .string(from.ip)), ("city", JSON(from.city)),
      ("country_code", JSON(from.countryCode)), ("time", time(from.time)),
    ]
    members.append(("from", .object(place.filter { $0.1 != .null })))
    members.append(("km", .integer(Int64(finding.distance.rounded()))))
    members.append(("kmh", .integer(Int64(finding.speed.rounded()))))
  }

  /// Makes it the event that further alerts are not delivered.
  mutating func becomeFlood() { members[0].1 = "flood" }

  /// Adds what is known of the address, by the only record of an answer.
  package mutating func place(by answer: RecordBlock) {
    let record = answer.records[0]
    let text: (TextField) -> JSON = { JSON(answer.text($0, of: record)) }
    let place: [(String, JSON)] = [
      ("country_code", text(.countryCode)), ("country", text(.country)), ("city", text(.city)),
      ("asn", record.asn > 0 ? .integer(Int64(record.asn)) : .null), ("as_name", text(.asName)),
    ]
    guard let index = members.firstIndex(where: { $0.0 == Self.beforePlace }) else { return }
    members.insert(contentsOf: place.filter { $0.1 != .null }, at: index + 1)
  }

  /// The object.
  package var json: JSON { .object(members) }

  /// Compares names and values in their order.
  package static func == (left: GuardEvent, right: GuardEvent) -> Bool { left.json == right.json }
}

extension GuardHit {
  /// The address with its zone.
  var addressText: String { zone.isEmpty ? "\(address)" : "\(address)%\(zone)" }
}
