import SondeAddresses
import Glibc
import TestSupport

/// A capture of 1 GB: 1.8 million packets of 3,000 flows, one flow in ten of IPv6.
extension CommandBenchmarks {
  func captures() throws -> [Measurement] {
    var packets = CapturePackets(seed: seed, flows: 3000)
    let capture = try folder.write("capture", items: 1_800_000 / scale) {
      packets.append(to: &$0)
    }
    guard try digest([sonde, "extract", capture.path]).lines == 2 * capture.items else {
      throw BenchmarkError("extract differs")
    }
    // As users run it: what it prints is written to a file.
    let tcpdump = ["sh", "-c", #"tcpdump -nnqS -r "$0" > "$1" 2> /dev/null"#, capture.path]
    var commands = [
      ("`sonde extract` of a capture", [sonde, "extract", capture.path]),
      ("`sonde extract --unique` of it", [sonde, "extract", "--unique", capture.path]),
    ]
    let peer = ("`tcpdump -nnqS -r`", tcpdump + ["/dev/null"])
    // Not every machine has it.
    if succeeds(peer.1) { commands.append(peer) }
    var measured = try measure(
      inTurns: commands.map {
        Case(
          name: $0.0,
          unit: "packets",
          arguments: $0.1,
          items: capture.items,
          bytes: capture.bytes
        )
      }
    )
    if measured.count > 2 {
      for index in 0..<2 { measured[index].peer = .init(name: peer.0, measured[2]) }
    }
    return measured
  }
}

/// Packets of UDP on Ethernet, with their heads in a capture.
private struct CapturePackets {
  private var generator: SeededGenerator
  private let flows: [[UInt8]]
  private var number: UInt32 = 0

  /// Picks the flows that come again and again.
  init(seed: UInt64, flows count: Int) {
    var generator = SeededGenerator(seed: seed)
    var addresses = DistinctAddresses(seed: seed)
    flows = (0..<count).map { index in
      guard !index.isMultiple(of: 10) else {
        let prefix: [UInt8] = [0x20, 0x01, 0x0d, 0xb8]
        let ends = (0..<24).map { _ in UInt8(truncatingIfNeeded: generator.next() as UInt64) }
        let addresses = prefix + ends[..<12] + prefix + ends[12...]
        return [0x86, 0xdd, 0x60, 0, 0, 0, 2, 0, 17, 64] + addresses
      }
      let pair = [addresses.next(), addresses.next()].flatMap { address -> [UInt8] in
        let number = address?.ipv4 ?? 0
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
      }
      return [8, 0, 0x45, 0, 2, 20, 0, 7, 0, 0, 64, 17, 0, 0] + pair
    }
    self.generator = generator
  }

  /// Appends a packet of a flow picked at random; before the first one the head of the file.
  mutating func append(to output: inout [UInt8]) {
    if number == 0 {
      output += words(0xa1b2_c3d4, 0x0004_0002, 0, 0, 262_144, 1)
    }
    number += 1
    let flow = flows[Int(generator.next() as UInt64 % UInt64(flows.count))]
    let size = 12 + flow.count + 8 + 504
    output += words(1_700_000_000 + number / 4096, number % 4096, UInt32(size), UInt32(size))
    output += repeatElement(2, count: 12)
    output += flow
    output += [20, 233, 0, 53, 2, 0, 0, 0]
    output += repeatElement(UInt8(truncatingIfNeeded: number), count: 504)
  }

  private func words(_ words: UInt32...) -> [UInt8] {
    words.flatMap { word in
      [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }
  }
}
