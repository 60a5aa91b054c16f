import SondeAddresses
import SondeCatalog
import SondeNames
import SondeRecords

/// A source that asks a resolver: a row of the table of such sources.
struct NameKind: Sendable {
  /// The name in `--with`.
  let name: String
  let subject: NameSubject
  let columns: [AddedColumn]
  /// The kept answers are found under this name and the servers.
  let scope: String
  /// Who learns the addresses besides the resolver, and is named once a run.
  let host: String?
  /// Whether it may be asked about the addresses of networks that are not public.
  let takesPrivate: Bool
  /// Whether other sources of a run may need the same answers.
  let isShared: Bool
  /// Adds a row with an answer about an address.
  let append: @Sendable (HostNames, Address, inout AddedValues) -> Void

  /// Reverse DNS.
  static let names = NameKind(
    name: "names",
    subject: .names,
    columns: [AddedColumn].names,
    scope: "names",
    host: nil,
    takesPrivate: true,
    isShared: true
  ) { names, _, values in
    values.append(list: names.names)
    values.append(status: AddedStatus(names.status))
  }

  /// Routes, as Team Cymru sees them (https://www.team-cymru.com/ip-asn-mapping).
  static let route = NameKind(
    name: "route",
    subject: .route,
    columns: AddedSource(name: "route")?.awaited ?? [],
    scope: "route",
    host: "asn.cymru.com",
    takesPrivate: false,
    isShared: false
  ) { answer, address, values in
    let route = AnnouncedRoute(in: answer.names, about: address)
    values.append(text: route.map { "\($0.network)" } ?? "")
    values.append(list: route?.origins ?? [])
    values.append(text: route?.registry ?? "")
    values.append(text: route?.allocated ?? "")
    values.append(status: AddedStatus(answer, route))
  }
}

extension AddedStatus {
  /// The status of a route; texts without one that contains the address are no answer.
  fileprivate init(_ answer: HostNames, _ route: AnnouncedRoute?) {
    self =
      switch answer.status {
      case .none: .named("unknown")
      case .failed: .failed
      case .networkLost: .networkLost
      case .confirmed, .unconfirmed: route == nil ? .failed : .named("ok")
      }
  }
}
