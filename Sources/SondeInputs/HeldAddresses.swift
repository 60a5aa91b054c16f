package import SondeAddresses
package import SondePcap
package import SondeRecords

/// The treatment of a capture's packets.
package enum PacketRule {
  /// Their addresses are delivered as they arrive.
  case passed
  /// Their addresses are delivered as they arrive, and their traffic is counted for an input.
  case counted(Traffic, UInt32)
  /// Their traffic is counted, and their addresses are kept until the end.
  case held(HeldAddresses)
}

/// The distinct addresses of a capture, kept until its end while their traffic is counted.
package final class HeldAddresses {
  private let traffic: Traffic
  private let input: UInt32
  private let pick: Pick
  private var seen = DistinctSet()
  private var addresses: [Address] = []
  private var duplicates = 0

  package init(_ traffic: Traffic, input: UInt32, pick: Pick = .all) {
    (self.traffic, self.input, self.pick) = (traffic, input, pick)
  }

  package func take(_ packets: [CapturedPacket]) {
    traffic.count(packets, ofInput: input)
    var addresses: [Address] = []
    for packet in packets { packet.append(pick, to: &addresses) }
    for address in addresses { take(address) }
  }

  private func take(_ address: Address) {
    if seen.insert(address) { addresses.append(address) } else { duplicates += 1 }
  }

  /// Returns the addresses, and the number of duplicates.
  package func finish() -> (addresses: [Address], duplicates: Int) {
    defer { (addresses, duplicates) = ([], 0) }
    return (addresses, duplicates)
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

extension Traffic {
  package func count(_ packets: [CapturedPacket], ofInput input: UInt32) {
    count(input: input) { counts in
      for packet in packets {
        let (length, time) = (UInt64(packet.length), packet.time)
        counts.count(packet.source, bytes: length, at: time)
        if let destination = packet.destination, destination != packet.source {
          counts.count(destination, bytes: length, at: time)
        }
      }
    }
  }
}
