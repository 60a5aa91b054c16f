package import SondeAddresses
package import SondePcap
package import SondeRecords

/// The addresses of packets in order, with what is known of their occurrences.
package struct CapturedAddresses: Sendable {
  package var addresses: [Address] = []
  /// The time of each in Unix milliseconds (UTC).
  package var times: [Int64] = []
  /// The length of each one's packet on the wire; `nil` for the second one of an address.
  package var lengths: [UInt64?] = []

  package init() {}

  /// Appends the addresses of packets that `--pick` chooses.
  package mutating func append(_ packets: [CapturedPacket], _ pick: Pick) {
    for packet in packets {
      let first = addresses.count
      packet.append(pick, to: &addresses)
      for index in first..<addresses.count {
        times.append(packet.time / 1_000_000)
        let isSecond = index > first && addresses[index] == addresses[first]
        lengths.append(isSecond ? nil : UInt64(packet.length))
      }
    }
  }
}

extension CapturedPacket {
  /// Appends the addresses that `--pick` chooses: the source comes first, and nothing has a name.
  package func append(_ pick: Pick, to addresses: inout [Address]) {
    guard pick != .all else { return appendAddresses(to: &addresses) }
    guard pick.name == nil else { return }
    let all = [source] + (destination.map { [$0] } ?? [])
    switch pick.place {
    case .all: addresses += all
    case .first: addresses.append(all[0])
    case .last: addresses.append(all[all.count - 1])
    case .open: addresses += all.first { $0.specialPurpose == nil }.map { [$0] } ?? []
    }
  }
}
