import Testing

@testable import SondeInputs

@Suite struct ContentTests {
  private func judge(_ bytes: UInt8..., isWhole: Bool = false) -> Content? {
    Content.judge(bytes, isWhole: isWhole)
  }

  private func foreign(_ bytes: [UInt8], _ path: String = "list") -> String? {
    guard case .foreign(let format) = Content.judge(bytes, isWhole: true) else { return nil }
    return format.reason(for: path)
  }

  @Test func `a compressed input is told by its first bytes`() {
    #expect(judge(0x1f, 0x8b, 8) == .compressed(.gzip))
    #expect(judge(0x1f, 0x8b, 8, 0) == .compressed(.gzip))
    #expect(judge(0x28, 0xb5, 0x2f, 0xfd, 0) == .compressed(.zstd))
    #expect(judge(0x5c, 0x2a, 0x4d, 0x18, 0) == .compressed(.zstd))
    #expect(judge(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0) == .compressed(.xz))
    #expect(Content.judge(Compression.bzip2.pack([1]), isWhole: false) == .compressed(.bzip2))
    #expect(Content.judge(Compression.bzip2.pack([]), isWhole: false) == .compressed(.bzip2))
  }

  @Test func `text is text as soon as it differs`() {
    #expect(judge(0x38, 10) == .text)
    #expect(judge(0x1f, 0x8a, 10) == .text)
    #expect(judge(0x28, 0xb5, 0x2e, 10) == .text)
    #expect(judge(0xfd, 0x37, 0x7a, 0x58, 0x5a, 1, 10) == .text)
    #expect(judge(0, 0x1f, 0x8b, 10) == .text)
    #expect(judge(0xef, 0xbb, 0xbf, 10) == .text)
    #expect(Content.judge(Array("BZh9 is no bzip2\n".utf8), isWhole: false) == .text)
    #expect(Content.judge(Array("\n\r\r\n8.8.8.8\n9.9".utf8), isWhole: false) == .text)
    for text in ["PK", "7z", "Rar!", "LZIP", "]", "x", "MSCF"] {
      #expect(Content.judge(Array("\(text)\n8.8.8.8\n".utf8), isWhole: false) == .text)
    }
  }

  @Test func `a beginning too short to tell is waited for, to the end`() {
    let beginnings: [[UInt8]] = [
      [], [0x1f], [0x28, 0xb5, 0x2f], [0xfd, 0x37, 0x7a, 0x58, 0x5a], [0x42, 0x5a], [0x38],
    ]
    for bytes in beginnings {
      #expect(Content.judge(bytes, isWhole: false) == nil)
      #expect(Content.judge(bytes, isWhole: true) == .text)
    }
  }

  @Test func `a byte-order mark tells UTF-16, and is not taken for UTF-32`() {
    #expect(judge(0xfe, 0xff) == .utf16(isBigEndian: true))
    #expect(judge(0xff, 0xfe, 0x38) == .utf16(isBigEndian: false))
    #expect(judge(0xff, 0xfe) == nil)
    #expect(judge(0xff, 0xfe, isWhole: true) == .utf16(isBigEndian: false))
    #expect(
      foreign([0xff, 0xfe, 0, 0]) == "is UTF-32 text, which is not read: convert it to UTF-8 first"
    )
  }

  @Test func `what is not read is named as what it is`() {
    #expect(
      foreign(Array("PK\u{3}\u{4}".utf8)) == "is a zip archive, which is not read: unpack it first"
    )
    #expect(
      foreign(Array("PK\u{3}\u{4}".utf8), "clients.XLSX")
        == "is a spreadsheet, which is not read: save it as CSV first"
    )
    let captures: [[UInt8]] = [
      [0xd4, 0xc3, 0xb2, 0xa1, 2], [0xa1, 0xb2, 0x3c, 0x4d],
      [10, 13, 13, 10, 9, 9, 9, 9, 0x4d, 0x3c, 0x2b, 0x1a],
    ]
    for bytes in captures { #expect(foreign(bytes)?.hasPrefix("is a capture of packets") == true) }
  }

  @Test func `a tar archive is told by what stands behind the name of its first file`() {
    for magic in ["ustar\u{0}00", "ustar  \u{0}"] {
      let header = Array("access.log".utf8) + [UInt8](repeating: 0, count: 247)
      let beginning = header + Array(magic.utf8)
      #expect(foreign(beginning)?.hasPrefix("is a tar archive, which is not read") == true)
      #expect(Content.judge(Array(beginning.prefix(261)), isWhole: false) == nil)
      #expect(Content.judge(Array(beginning.prefix(261)), isWhole: true) == .text)
    }
    let line = [UInt8](repeating: 0x20, count: 257) + Array("ustat\n".utf8)
    #expect(Content.judge(line, isWhole: false) == .text)
  }

  /// A header of `tar --format=v7`, with a checksum of these six digits.
  private func oldTar(_ name: [UInt8], checksum: String) -> [UInt8] {
    func field(_ text: some Sequence<UInt8>, _ size: Int) -> [UInt8] {
      let bytes = Array(text)
      return bytes + [UInt8](repeating: 0, count: size - bytes.count)
    }
    let numbers = ["0000644", "0001750", "0001750", "00000000020", "14500000000"]
    return field(name, 100) + numbers.flatMap { field($0.utf8, $0.utf8.count + 1) }
      + field("\(checksum)\0 ".utf8, 8) + field("0".utf8, 356)
  }

  @Test func `a tar archive without a magic number is told by its checksum`() {
    let header = oldTar(Array("access.log".utf8), checksum: "006526")
    #expect(foreign(header)?.hasPrefix("is a tar archive, which is not read") == true)
    #expect(foreign(header + [0x38])?.hasPrefix("is a tar archive") == true)
    for count in [1, 100, 155, 511] {
      #expect(Content.judge(Array(header.prefix(count)), isWhole: false) == nil)
      #expect(Content.judge(Array(header.prefix(count)), isWhole: true) == .text)
    }
    for checksum in ["006525", "6526 ", " 6526", "01002x"] {
      let isSame = checksum.contains("6526")
      #expect((foreign(oldTar(Array("access.log".utf8), checksum: checksum)) != nil) == isSame)
    }
    // Of `zugänge` in Latin-1, its bytes taken for unsigned and for signed ones.
    let name: [UInt8] = [0x7a, 0x75, 0x67, 0xe4, 0x6e, 0x67, 0x65]
    #expect(foreign(oldTar(name, checksum: "006350")) != nil)
    #expect(foreign(oldTar(name, checksum: "005750")) != nil)
  }

  @Test func `what is no header of an old tar archive is text`() {
    #expect(Content.judge([UInt8](repeating: 0, count: 512), isWhole: false) == .text)
    #expect(Content.judge([UInt8](repeating: 0x20, count: 512), isWhole: false) == .text)
    let digits = [UInt8](repeating: 0x30, count: 512)
    #expect(Content.judge(digits, isWhole: false) == .text)
    // Without a line's end all of a header is waited for, with one nothing.
    #expect(Content.judge(Array(digits.prefix(511)), isWhole: false) == nil)
    #expect(Content.judge(Array(digits.prefix(400)) + [10], isWhole: false) == .text)
  }

  @Test func `no signature is longer than what is looked at`() {
    let beginning = [UInt8](repeating: 0xee, count: Content.longestSignature)
    for format in ForeignFormat.all + [.tar] {
      #expect(format.signature.matches(beginning) == false)
    }
  }
}
