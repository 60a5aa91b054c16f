#if DEBUG
  @testable import SondePcap

  extension FuzzTarget {
    /// Captures of packets, from a file and in pieces: both must give the same.
    static let captures = [
      FuzzTarget("capture") { bytes in
        var bytes = FuzzBytes(bytes)
        let piece = max(64, bytes.size())
        let all = bytes.all
        let (file, stream) = (packets(inFileOf: all), packets(inPiecesOf: all, piece))
        precondition(file == stream, "a stream of packets is another than their file")
      }
    ]

    private static func packets(inFileOf bytes: [UInt8]) -> [CapturedPacket] {
      var packets: [CapturedPacket] = []
      withMemoryFile(bytes) { _, descriptor in
        guard let file = try? CaptureFile(descriptor: descriptor) else { return }
        while (try? file.read(into: &packets, limit: 7)) == true {}
      }
      return packets
    }

    private static func packets(inPiecesOf bytes: [UInt8], _ piece: Int) -> [CapturedPacket] {
      guard let decoder = try? CaptureDecoder() else { return [] }
      var (packets, position) = ([CapturedPacket](), 0)
      repeat {
        let next = Array(bytes[position...].prefix(piece))
        position += next.count
        let (some, error) = decoder.decode(next, isLast: position == bytes.count)
        packets += some
        if error != nil { break }
      } while position < bytes.count
      return packets
    }
  }
#endif
