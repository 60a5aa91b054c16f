import Glibc
import SondeSystem
import TestSupport
import Testing

@testable import Fuzz

/// The bytes that are kept of fuzzing, and small changes to them; libFuzzer goes further.
@Suite struct CorpusTests {
  private static let folder =
    "\(#filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" })/Fuzz/Corpus"

  /// The files in the folder of a target.
  private func kept(for target: FuzzTarget) throws -> [[UInt8]] {
    let folder = "\(Self.folder)/\(target.name)"
    let names = SondeSystem.names(in: folder).filter { !$0.hasPrefix(".") }.sorted()
    return try names.map { try contents(of: "\(folder)/\($0)") }
  }

  /// A copy with bytes changed, left out or doubled, or the end cut off.
  private func changed(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &generator)
      let end = min(bytes.count, place + Int.random(in: 1...8, using: &generator))
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes[place] = .random(in: 0...255, using: &generator)
      case 2: bytes[place] = [0, 0x7f, 0x80, 0xff].randomElement(using: &generator) ?? 0
      case 3: bytes.removeSubrange(place..<end)
      case 4: bytes.insert(contentsOf: bytes[place..<end], at: place)
      default: bytes.removeSubrange(place...)
      }
    }
    return bytes
  }

  @Test(arguments: FuzzTarget.all.map(\.name))
  func `what is kept, and what is like it, is read`(name: String) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == name })
    let inputs = try kept(for: target)
    #expect(!inputs.isEmpty)
    var generator = SeededGenerator(seed: 24)
    for input in inputs {
      target.run(input)
      for _ in 0..<20 { target.run(changed(input, &generator)) }
    }
  }

  @Test func `each folder of the corpus has a target`() {
    let folders = SondeSystem.names(in: Self.folder).filter { !$0.hasPrefix(".") }
    #expect(folders.sorted() == FuzzTarget.all.map(\.name).sorted())
  }
}
