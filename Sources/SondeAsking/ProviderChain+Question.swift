public import SondeAddresses
import SondeInputs
import SondeProviders
public import SondeRecords
import SondeStore

/// One question, as a person asks it.
extension ProviderChain {
  /// What is known of an address, from the cache or from those who are asked.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - zone: The zone of a link-local one.
  ///   - isFresh: Whether they are asked whatever the cache knows, which keeps its answer until there
  ///     is another.
  /// - Returns: One record; where nobody was reached, or had an answer, its status and message say
  ///   so.
  /// - Throws: `CancellationError`, and nothing else.
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

  /// What is known of an address without asking anybody over the network; `nil` for nothing.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - zone: The zone of a link-local one.
  /// - Returns: One record.
  public func known(to address: Address, zone: [UInt8] = []) async -> RecordBlock? {
    guard address.specialPurpose == nil else {
      let reserved = Self.reserved(address, zone)
      return awaitsMore(of: reserved.records[0]) ? nil : reserved
    }
    // What sources have found is known to them alone.
    guard sources.isEmpty else { return nil }
    let known = await known([address])
    return known.positions.isEmpty ? nil : known.block
  }

  private static func reserved(_ address: Address, _ zone: [UInt8]) -> RecordBlock {
    var entry = EntryBlock()
    entry.append(address, zone: zone.isEmpty ? nil : zone.span, at: Place())
    return entry.block
  }

  /// The least time for which the quota of a provider is spent; `nil` where none is.
  public var quotaWait: Duration? { providers.compactMap { $0.remote?.quotaWait }.min() }

  /// The place in the list of who answers as a source; behind all of them where it is none of them.
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
