import SondeAddresses
import SondeTables
import Testing

@Suite struct TablesExamples {
  @Test func networkTable() throws {
    // example: NetworkTable
    var builder = NetworkTable.Builder(columns: ["team"])
    for (network, team) in [("10.0.0.0", "office"), ("10.1.0.0", "lab"), ("10.1.0.0", "net")] {
      let isOffice = team == "office"
      _ = builder.append(value: team.utf8Span.span)
      let address = try #require(Address(network))
      builder.append(Prefix(holding: address, length: isOffice ? 8 : 16))
    }
    let table = builder.table()
    let inside = try #require(Address("10.1.2.3"))
    let match = try #require(table.match(inside))
    #expect(match.prefix.description == "10.1.0.0/16")
    #expect(table.text(0, of: match) == "lab|net")
    let outside = try #require(Address("11.0.0.1"))
    #expect(!table.contains(outside))
    // end
  }
}
