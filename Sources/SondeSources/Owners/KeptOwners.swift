import SondeAddresses
import SondeProviders
import SondeRecords
import SondeStore
import SondeTables

/// The stored answers of registries, valid for a day.
///
/// Each is stored by the address that was asked about; each block has a list of those addresses.
struct KeptOwners: Sendable {
  /// Networks rarely change hands, and IANA's files are stored as long.
  private static let lifetime = Duration.seconds(86_400)

  private let memory: SourceMemory
  private let scope: String
  private let reuse: OwnerReuse

  /// The answers may come from a mirror, and apply to the addresses that `reuse` selects.
  init(in memory: SourceMemory, mirror: BaseURL?, reuse: OwnerReuse) {
    (self.memory, self.reuse) = (memory, reuse)
    scope = "owner \(mirror?.text ?? "")"
  }

  /// The stored answers about addresses of some blocks.
  func answers(in blocks: [Prefix]) async -> [KnownOwners.Answer] {
    let lists = await memory.texts(of: blocks.map(\.key), in: scope)
    let addresses = lists.compactMap(\.self).flatMap { Self.addresses(of: $0) }
    guard !addresses.isEmpty else { return [] }
    let texts = await memory.texts(of: addresses.map(\.keptKey), in: scope)
    return zip(addresses, texts).compactMap { address, text in
      text.flatMap { Owner(kept: $0) }.map { KnownOwners.Answer(address: address, owner: $0) }
    }
  }

  /// Stores an answer beside the others known in its block; returns when it is on disk.
  func keep(_ answer: KnownOwners.Answer, beside others: [KnownOwners.Answer]) async {
    guard let text = answer.owner.kept else { return }
    let block = reuse.block(of: answer.address)
    let addresses = Set(others.map(\.address) + [answer.address]).sorted()
    let list = addresses.map { "\($0)" }.joined(separator: "\n")
    await memory.keep(
      [
        KeptText(key: answer.address.keptKey, text: text, lifetime: Self.lifetime),
        KeptText(key: block.key, text: Array(list.utf8), lifetime: Self.lifetime),
      ],
      in: scope
    )
  }

  private static func addresses(of list: [UInt8]) -> [Address] {
    list.split(separator: UInt8(ascii: "\n")).compactMap { Address(ascii: Array($0).span) }
  }
}

extension Prefix {
  /// The key of a block's list, different from that of any address.
  fileprivate var key: [UInt8] { Array("\(self)".utf8) }
}

extension Owner {
  /// The stored form of the answer: lines with the registry, the network and its names.
  var kept: [UInt8]? {
    let lines: [String]
    switch outcome {
    case .failed, .networkLost: return nil
    case .unknown: lines = [registry?.name ?? ""]
    case .found(let registration):
      let range = registration.range
      let abuse = registration.abuse.joined(separator: " ")
      let name = registry?.name ?? ""
      lines = [name, "\(range.first)", "\(range.last)", registration.name, abuse]
    }
    return Array(lines.joined(separator: "\n").utf8)
  }

  /// Parses ``kept``; `nil` for anything else.
  init?(kept text: [UInt8]) {
    let lines = String(decoding: text, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)
    let name = lines.first.map { String($0) } ?? ""
    let registry = name.isEmpty ? nil : Registry(name: name)
    switch lines.count {
    case 1: self.init(outcome: .unknown, registry: registry)
    case 5:
      guard let first = Address(String(lines[1])), let last = Address(String(lines[2])),
        let range = AddressRange(first: first, last: last)
      else { return nil }
      // An earlier version stored texts unchanged.
      let abuse = lines[4].split(separator: " ").map { String($0).withoutControls }
      let title = String(lines[3]).withoutControls
      let registration = Registration(range: range, name: title, abuse: abuse)
      self.init(outcome: .found(registration), registry: registry)
    default: return nil
    }
  }
}
