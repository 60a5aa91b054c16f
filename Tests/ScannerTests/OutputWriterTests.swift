import TestSupport
import Testing

@testable import SondeOutputs
@testable import SondeScanner
@testable import SondeRecords

@Suite struct OutputWriterTests {
  private func encoder(_ format: Format) -> RecordEncoder {
    RecordEncoder(format: format, fields: [.ip, .status])
  }

  /// What stands in the files after chunks of these records have been written one by one.
  private func written(
    _ chunks: [[String]],
    main: Format,
    rejects: Format,
    together: Bool = false
  ) async throws -> (main: String, rejects: String, missing: String) {
    let folder = try ScratchFolder()
    var outputs = Outputs(
      main: .init(encoder: encoder(main), sink: try Sink(path: folder.file("main")))
    )
    outputs.rejects = .init(encoder: encoder(rejects), sink: try Sink(path: folder.file("rejects")))
    outputs.missing = try Sink(path: folder.file("missing"))
    let encoder = outputs.encoder(for: nil)
    var writer = OutputWriter(outputs, isFramed: true, isJournalled: false)
    let encoded = chunks.map { lines in
      encoder.chunks(ofRecords: lines).first ?? Chunk(first: 0)
    }
    if together {
      try await writer.write(encoded)
    } else {
      for chunk in encoded { try await writer.write([chunk]) }
    }
    try await writer.end()
    #expect(writer.tally.records == chunks.joined().count)
    return (try folder.text("main"), try folder.text("rejects"), try folder.text("missing"))
  }

  @Test(arguments: [false, true])
  func `JSON has its separators between records and nowhere else`(together: Bool) async throws {
    let chunks = [
      ["x invalid"], ["8.8.8.8 ok US", "y invalid"], [], ["z invalid"], ["1.1.1.1 failed no"],
    ]
    let files = try await written(chunks, main: .json, rejects: .json, together: together)
    #expect(
      files.main
        == "[\n{\"ip\":\"8.8.8.8\",\"status\":\"ok\"},\n{\"ip\":\"1.1.1.1\",\"status\":\"failed\"}\n]\n"
    )
    let rejects = ["x", "y", "z"].map { #"{"ip":"\#($0)","status":"invalid"}"# }
    #expect(files.rejects == "[\n" + rejects.joined(separator: ",\n") + "\n]\n")
    #expect(files.missing == "1.1.1.1\n")
  }

  @Test func `without records JSON is an empty array and CSV a header`() async throws {
    let files = try await written([], main: .json, rejects: .csv)
    #expect(files.main == "[]\n")
    #expect(files.rejects == "ip,status\n")
    #expect(files.missing == "")
    let onlyRejects = try await written([["x invalid"]], main: .json, rejects: .json)
    #expect(onlyRejects.main == "[]\n")
    #expect(onlyRejects.rejects == "[\n{\"ip\":\"x\",\"status\":\"invalid\"}\n]\n")
  }

  @Test func `lines of the other formats follow one another`() async throws {
    let files = try await written(
      [["8.8.8.8 ok US"], ["x invalid", "1.1.1.1 ok AU"]],
      main: .csv,
      rejects: .ndjson
    )
    #expect(files.main == "ip,status\n8.8.8.8,ok\n1.1.1.1,ok\n")
    #expect(files.rejects == "{\"ip\":\"x\",\"status\":\"invalid\"}\n")
  }
}
