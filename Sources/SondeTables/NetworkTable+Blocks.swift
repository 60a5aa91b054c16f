public import SondeAddresses

extension NetworkTable {
  /// Which of some addresses a network contains.
  public func contains(_ addresses: Span<Address>) -> [Bool] {
    [Bool](capacity: addresses.count) { isHeld in
      eachBlock(of: addresses) { block, rows in
        for index in block.indices { isHeld.append(rows[index] != UInt32.max) }
      }
    }
  }

  /// Appends the network and the values of each address, or as many empty texts, as valid UTF-8;
  /// `ends` receives the end of each text.
  public func append(rowsOf addresses: Span<Address>, to output: inout [UInt8], ends: inout [Int]) {
    ends.append(addingCapacity: addresses.count * (columns.count + 1)) { ends in
      eachBlock(of: addresses) { block, rows in
        let codes = codes(of: rows)
        var room = 0
        for index in block.indices where rows[index] != UInt32.max {
          room &+= size(of: Int(rows[index]))
        }
        let start = output.count
        output.append(addingCapacity: room) { output in
          for index in block.indices {
            let prefix = sizes.prefix(of: codes[index], holding: block[index])
            append(prefix, ofRow: rows[index], to: &output, &ends, from: start)
          }
        }
      }
    }
  }

  /// The sizes of some rows as in a ``SizeTable``; 0 for none.
  private func codes(of found: borrowing InlineArray<64, UInt32>) -> InlineArray<64, UInt32> {
    var codes = InlineArray<64, UInt32>(repeating: 0)
    for index in codes.indices where found[index] != UInt32.max {
      codes[index] = rows[Int(found[index]) &* width]
    }
    return codes
  }

  /// The number of addresses looked up together.
  private static var blockSize: Int { 64 }

  /// Passes the rows of some addresses, `UInt32.max` for none, block by block.
  ///
  /// A large table does not fit into the caches, so each step of a search waits for memory. Each
  /// step is done for a whole block, so that these waits overlap.
  @inline(__always)
  private func eachBlock(
    of addresses: Span<Address>,
    _ take: (Span<Address>, borrowing InlineArray<64, UInt32>) -> Void
  ) {
    var places = InlineArray<64, IntervalIndex<UInt32>.Place>(repeating: .init())
    var rows = InlineArray<64, UInt32>(repeating: UInt32.max)
    for start in stride(from: 0, to: addresses.count, by: Self.blockSize) {
      let block = addresses.extracting(start..<min(start + Self.blockSize, addresses.count))
      // For an IPv6 address the low bits suffice, since its result is not used.
      for index in block.indices {
        places[index] = ipv4.place(of: UInt32(truncatingIfNeeded: block[index].low))
      }
      for index in block.indices { ipv4.look(into: &places[index]) }
      for index in block.indices {
        let number = UInt32(truncatingIfNeeded: block[index].low)
        rows[index] = ipv4.interval(of: number, in: places[index])
      }
      for index in block.indices { rows[index] = ipv4.answer(ofInterval: rows[index]) }
      for index in block.indices where !block[index].isIPv4 {
        rows[index] = ipv6.answer(for: block[index].number)
      }
      for index in block.count..<Self.blockSize { rows[index] = .max }
      take(block, rows)
    }
  }
}
