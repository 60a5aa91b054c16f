public import SondeAddresses
import SondeInputs
import SondeProviders
public import SondeRecords
import SondeStore

/// A single question, for interactive use.
extension ProviderChain {
  /// The answer about an address, from the cache or by a request.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - zone: The zone of a link-local one.
  ///   - isFresh: Whether to ask even if the answer is cached; it is kept until there is a new one.
  /// - Returns: One record, whose status and message explain a missing answer.
  /// - Throws: `CancellationError` only.
  public func answer(
    to address: Address,
    zone: [UInt8] = [],
    isFresh: Bool = false
  ) async throws -> RecordBlock {
    var batch = Batch(mayRepeat: false)
    let question = Question(number: 0, address: address)
    batch.append(question, unknownIn: nil, now: .now)
    if address.specialPurpose != nil {
      let reserved = Self.reserved(address, zone)
      guard awaitsMore(of: reserved.records[0]) else { return reserved }
      batch.answers = reserved
    }
    return try await answers(to: batch, isFresh: isFresh)
  }

  /// The record of an address, link-local ones with a zone; `nil` if it takes a network request.
  public func known(to address: Address, zone: [UInt8] = []) async -> RecordBlock? {
    guard address.specialPurpose == nil else {
      let reserved = Self.reserved(address, zone)
      return awaitsMore(of: reserved.records[0]) ? nil : reserved
    }
    // Only sources themselves know what they have found.
    guard sources.isEmpty else { return nil }
    let known = await known([address])
    return known.positions.isEmpty ? nil : known.block
  }

  private static func reserved(_ address: Address, _ zone: [UInt8]) -> RecordBlock {
    var entry = EntryBlock()
    entry.append(address, zone: zone.isEmpty ? nil : zone.span, at: Place())
    return entry.block
  }

  /// The shortest time until a provider's spent quota is renewed; `nil` if none is spent.
  public var quotaWait: Duration? { providers.compactMap { $0.remote?.quotaWait }.min() }

  /// The position in the list of the provider of a source; after all of them if there is none.
  public func rank(of source: Source?) -> Int {
    guard let source, let provider = source.provider else { return 0 }
    let rank = providers.firstIndex { listed in
      switch listed {
      case .remote(let remote): remote.api.source == source
      case .local: provider == .local
      }
    }
    return rank ?? providers.count
  }
}
