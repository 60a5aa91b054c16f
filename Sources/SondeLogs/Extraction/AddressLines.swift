import SondeAddresses
import SondePrivacy

/// Writes one address per line, optionally after the input's name.
struct AddressLines {
  private let prefix: [UInt8]

  init(_ rules: ExtractionRules, _ name: String) {
    let name = rules.anonymizer?.text(name) ?? name
    prefix = rules.namesInputs ? Array("\(name):".utf8) : []
  }

  func append(_ matches: Span<LogMatch>, of text: Span<UInt8>, to lines: inout [UInt8]) {
    var capacity = matches.count * (prefix.count + Address.textCapacity + 1)
    for index in matches.indices {
      if let zone = matches[index].zone { capacity += 1 + zone.count }
    }
    lines.append(addingCapacity: capacity) { output in
      for index in matches.indices {
        let match = matches[index]
        if let zone = match.zone {
          put(match.address, text.zone(zone).span, to: &output)
        } else {
          put(match.address, nil, to: &output)
        }
      }
    }
  }

  func append(_ addresses: [Address], to lines: inout [UInt8]) {
    lines.append(addingCapacity: addresses.count * (prefix.count + Address.textCapacity + 1)) {
      for address in addresses { put(address, nil, to: &$0) }
    }
  }

  func append(_ address: Address, zone: [UInt8]?, to lines: inout [UInt8]) {
    let capacity = prefix.count + Address.textCapacity + 2 + (zone?.count ?? 0)
    lines.append(addingCapacity: capacity) { put(address, zone?.span, to: &$0) }
  }

  /// Appends the number of addresses.
  func append(count: Int, to lines: inout [UInt8]) {
    lines += prefix
    lines += "\(count)\n".utf8
  }

  @inline(__always)
  private func put(_ address: Address, _ zone: Span<UInt8>?, to output: inout OutputSpan<UInt8>) {
    for byte in prefix { output.append(byte) }
    address.append(to: &output)
    if let zone {
      output.append(UInt8(ascii: "%"))
      for index in zone.indices { output.append(zone[index]) }
    }
    output.append(UInt8(ascii: "\n"))
  }
}
