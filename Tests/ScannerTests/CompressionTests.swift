import Testing

@testable import Scanner

@Suite struct CompressionTests {
  private func judge(_ bytes: UInt8...) -> Compression.Verdict { Compression.judge(bytes) }

  @Test func `a compressed input is told by its first bytes`() {
    #expect(judge(0x1f, 0x8b) == .compressed(.gzip))
    #expect(judge(0x1f, 0x8b, 8, 0) == .compressed(.gzip))
    #expect(judge(0x28, 0xb5, 0x2f, 0xfd, 0) == .compressed(.zstd))
    #expect(judge(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0) == .compressed(.xz))
  }

  @Test func `anything else is plain as soon as it differs`() {
    #expect(judge(0x38) == .plain)
    #expect(judge(0x1f, 0x8a) == .plain)
    #expect(judge(0x28, 0xb5, 0x2e) == .plain)
    #expect(judge(0xfd, 0x37, 0x7a, 0x58, 0x5a, 1) == .plain)
    #expect(judge(0, 0x1f, 0x8b) == .plain)
  }

  @Test func `a beginning too short to tell is waited for`() {
    #expect(Compression.judge([]) == .undecided)
    #expect(judge(0x1f) == .undecided)
    #expect(judge(0x28, 0xb5, 0x2f) == .undecided)
    #expect(judge(0xfd, 0x37, 0x7a, 0x58, 0x5a) == .undecided)
  }
}
