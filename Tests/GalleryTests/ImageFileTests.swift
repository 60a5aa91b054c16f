import Foundation
import Testing

@testable import gallery

@Suite struct ImageFileTests {
  private static let small: [ImageFile.Kind: String] = [
    .png:
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    .gif: "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
    .webp: "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
    .jpeg: "/9j/wAALCAABAAEBAREA/9oACAEBAAA/AP/Z",
  ]

  private static let samples = small.mapValues { [UInt8](Data(base64Encoded: $0) ?? Data()) }

  @Test func `a picture is known by its content`() throws {
    for (kind, bytes) in Self.samples { #expect(ImageFile(bytes)?.kind == kind) }
    for text in [
      "", "<svg xmlns='http://www.w3.org/2000/svg'/>", "GIF89a", "<!doctype html>", "RIFF",
    ] {
      #expect(ImageFile(Array(text.utf8)) == nil)
    }
  }

  @Test func `no beginning of a picture is one`() {
    for (kind, bytes) in Self.samples {
      let whole = (0..<bytes.count).filter { ImageFile(Array(bytes.prefix($0))) != nil }
      #expect(whole.allSatisfy { $0 >= bytes.count - (kind == .png ? 8 : 1) }, "\(kind) \(whole)")
    }
  }

  @Test func `what is spoilt is judged without a trap`() {
    var random = SystemRandomNumberGenerator()
    for bytes in Self.samples.values {
      for _ in 0..<5000 {
        var spoilt = bytes
        for _ in 0...Int.random(in: 0...3, using: &random) {
          spoilt[Int.random(in: 0..<spoilt.count)] =
            [0, 0xff, 0x7f, UInt8.random(in: 0...255)][
              Int.random(in: 0...3)
            ]
        }
        _ = ImageFile(spoilt)
      }
    }
  }

  @Test func `too many pixels are refused, wherever they are told`() {
    func with(_ kind: ImageFile.Kind, _ place: Int, _ new: [UInt8]) -> ImageFile? {
      var bytes = Self.samples[kind] ?? []
      bytes.replaceSubrange(place..<place + new.count, with: new)
      return ImageFile(bytes)
    }
    let (width, height): ([UInt8], [UInt8]) = ([0x27, 0x10], [0x13, 0x88])
    #expect(with(.png, 16, [0, 0] + width + [0, 0] + height) != nil)
    #expect(with(.png, 16, [0, 0] + width + [0, 0, 0x13, 0x89]) == nil)
    #expect(with(.png, 16, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]) == nil)
    #expect(with(.png, 16, [0, 0, 0, 0]) == nil)
    #expect(with(.gif, 6, [0xff, 0xff, 0xff, 0xff]) == nil)
    // The first image, beyond the screen.
    #expect(with(.gif, 32, [0xff, 0xff, 0xff, 0xff]) == nil)
    #expect(with(.webp, 21, [0xff, 0xff, 0xff, 0x0f]) == nil)
    #expect(with(.jpeg, 7, [0xff, 0xff, 0xff, 0xff]) == nil)
  }
}
