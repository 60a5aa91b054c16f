#if DEBUG
  import SondeAddresses
  import SondeSystem

  @testable import SondeInputs
  @testable import SondeRecords

  extension FuzzTarget {
    /// What unpacks inputs, piece by piece, and the list and the log that come out.
    static let decoders =
      Compression.allCases.map { format in
        FuzzTarget(format.rawValue) { bytes in
          decode(bytes) { _ throws(DecoderError) in try format.decoder() }
        }
      } + [
        FuzzTarget("utf16") { bytes in
          decode(bytes) { UTF16Decoder(isBigEndian: $0 & 1 == 1) }
        },
        FuzzTarget("input") { readInput($0) },
      ]

    /// The most bytes that are unpacked.
    private static let most = 4 << 20

    private static func decode(
      _ bytes: [UInt8],
      with make: (UInt8) throws(DecoderError) -> any Decoder
    ) {
      var bytes = FuzzBytes(bytes)
      let kind = bytes.byte()
      let (piece, size) = (bytes.size(), max(UTF16Decoder.smallestRoom, bytes.size()))
      guard let decoder = try? make(kind) else { return }
      let input = bytes.all
      var room = [UInt8](repeating: 0, count: size)
      var (position, given, idle) = (0, 0, 0)
      while given < most, idle < 3 {
        let next = Array(input[position...].prefix(piece))
        let step = unsafe next.withUnsafeBufferPointer { next in
          unsafe room.withUnsafeMutableBufferPointer { room in
            unsafe try? decoder.decode(next, into: room)
          }
        }
        guard let step else { return }
        precondition(0...next.count ~= step.taken && 0...size ~= step.given)
        position += step.taken
        given += step.given
        idle = step == (0, 0) ? idle + 1 : 0
        // A reader would give it the same bytes for ever.
        precondition(idle < 3 || next.isEmpty, "it does not go on")
      }
    }

    private static func readInput(_ bytes: [UInt8]) {
      var bytes = FuzzBytes(bytes)
      let piece = max(16, bytes.size())
      var text: [UInt8] = []
      withMemoryFile(bytes.all) { path, _ in text = readText(path, piece) }
      parse(text, piece)
      var matches: [LogMatch] = []
      searchLog(text.span, into: &matches)
      for match in matches {
        precondition(0 <= match.start && match.start < match.end && match.end <= text.count)
      }
    }

    private static func readText(_ path: String, _ piece: Int) -> [UInt8] {
      var text: [UInt8] = []
      guard let wake = try? WakePipe(), let opened = try? OpenFile(.file(path)) else { return [] }
      let file = InputFile(
        opened,
        name: "f",
        captures: .recognized,
        longestUnpacked: UInt64(most)
      )
      while text.count < most {
        switch file.read(into: &text, atMost: piece, ByteWait(wake)) {
        case .more: continue
        case .end, .failure: return text
        case .silence, .interrupted: preconditionFailure("nobody interrupts it")
        }
      }
      return text
    }

    /// Reads a list in pieces.
    private static func parse(_ text: [UInt8], _ piece: Int) {
      var rules = EntryRules()
      rules.maximumExpansion = 256
      var parser = ListParser(rules: rules)
      parser.begin(input: 0)
      var (begin, end, count) = (0, 0, 0)
      while count < 10_000 {
        var entries = EntryBlock()
        let isLast = end == text.count
        let used = parser.parse(
          text.span.extracting(begin..<end),
          isLast: isLast,
          into: &entries,
          limit: 500
        )
        begin += used
        count += entries.block.records.count
        let isStuck = used == 0 && entries.block.records.isEmpty
        if isLast, isStuck { return }
        if isStuck || begin == end { end = min(text.count, end + piece) }
      }
    }
  }
#endif
