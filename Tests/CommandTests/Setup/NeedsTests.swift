import SondeLogs
import SondeSystem
import Testing

@testable import SondeSetup
@testable import sonde

@Suite struct NeedsTests {
  private func needs(
    _ line: String,
    environment: [String: String] = [:],
    sizes: [String: Int] = [:]
  ) throws -> Needs {
    let arguments = line.split(separator: " ").map(String.init)
    let invocation = try invocation(arguments, environment: environment)
    return Needs(of: Context(invocation, environment: [:])) { sizes[$0] ?? 0 }
  }

  @Test func `each option that opens something is counted`() throws {
    let plain = try needs("scan --provider local --database x")
    let more = [
      "-o out.csv", "-o out.csv --events e", "-o out.db", "--with owner", "--with names",
      "--shared redis://h", "--database y", "--with own=nets.csv",
    ]
    for options in more {
      let needs = try needs("scan --provider local --database x \(options)")
      #expect(needs.descriptors > plain.descriptors, "\(options)")
    }
    let asking = try needs("scan --provider ip-api")
    #expect(asking.descriptors > plain.descriptors && asking.threads > plain.threads)
    #expect(try needs("scan --provider ip-api,ipinfo").descriptors > asking.descriptors)
    let quick = try needs("scan --provider ip-api --concurrency 100")
    #expect(quick.descriptors == asking.descriptors + 2 * 92)
    let both = try needs("scan --provider ip-api --with owner --with names")
    #expect(both.descriptors > asking.descriptors + 60 && both.threads > asking.threads + 20)
  }

  @Test func `what asks nobody needs little`() throws {
    let check = try needs("check")
    #expect(check.descriptors == 16 && check.threads == 4 + 2 * Processors.available)
    #expect(try needs("extract") == check)
    #expect(try needs("completions bash") == check)
    #expect(try needs("scan --provider local --database x").descriptors < 30)
    // A source of the configuration that `check` does not ask.
    #expect(try needs("check", environment: ["SONDE_SHARED": "redis://h"]) == check)
  }

  @Test func `files that are held in memory need room`() throws {
    let usual = try needs("scan --provider local --database x").room
    let sizes = ["x": 50 << 20, "nets.csv": 10 << 20]
    let large = try needs("scan --provider local --database x", sizes: sizes).room
    #expect(large == usual + 100 << 20)
    let tables = try needs("check --with own=nets.csv", sizes: sizes).room
    #expect(tables == usual + 40 << 20)
    // As a sparse file may be.
    let sparse = try needs("check --with own=nets.csv", sizes: ["nets.csv": 4 << 60]).room
    #expect(sparse == .max)
    #expect(try needs("annotate --provider local --database x").room == usual + 64 << 20)
  }
}
