package import SondeAddresses
package import SondePcap
package import SondeRecords

/// What becomes of the packets of a capture.
package enum PacketRule {
  /// Their addresses are given out as they come.
  case passed
  /// So they are, and it is counted what they sent and received, in the input of a number.
  case counted(Traffic, UInt32)
  /// That is counted, and their addresses are kept to the end.
  case held(HeldAddresses)
}

/// The addresses of a capture, each once, kept to its end, while it is counted what they sent and
/// received.
package final class HeldAddresses {
  private let traffic: Traffic
  private let input: UInt32
  private var seen = DistinctSet()
  private var addresses: [Address] = []
  private var duplicates = 0

  /// Keeps none yet.
  ///
  /// - Parameters:
  ///   - traffic: Where it is counted.
  ///   - input: The number of the input.
  package init(_ traffic: Traffic, input: UInt32) { (self.traffic, self.input) = (traffic, input) }

  /// Takes packets.
  package func take(_ packets: [CapturedPacket]) {
    traffic.count(packets, ofInput: input)
    for packet in packets {
      take(packet.source)
      if let destination = packet.destination { take(destination) }
    }
  }

  private func take(_ address: Address) {
    if seen.insert(address) { addresses.append(address) } else { duplicates += 1 }
  }

  /// Gives the addresses out, and how many more there were.
  package func finish() -> (addresses: [Address], duplicates: Int) {
    defer { (addresses, duplicates) = ([], 0) }
    return (addresses, duplicates)
  }
}

extension Traffic {
  /// Counts packets of an input.
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
