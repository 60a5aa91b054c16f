import SondeAddresses
import SondeNames
import Testing

@Suite struct NamesExamples {
  @Test func nameResolver() async throws {
    // example: NameResolver
    let place = try #require(ResolverPlace("127.0.0.1:9"))
    var configuration = NameResolver.Configuration(place)
    configuration.timeout = .milliseconds(500)
    let resolver = try NameResolver(configuration)
    let address = try #require(Address("192.0.2.1"))
    let names = try await resolver.names(of: [address])
    // Nobody listens there.
    #expect(names.map(\.status) == [.networkLost])
    #expect(await resolver.presence() != .answered)
    // end
  }
}
