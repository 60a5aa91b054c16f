import SondeAddresses
import SondeProviders
import SondeTables

/// The registries' answers known to a run, and the addresses to which they apply: a pure value.
///
/// It grows with the questions, which the registries' limits keep few.
struct KnownOwners: Sendable {
  /// An answer and the address that was asked about.
  struct Answer: Sendable, Hashable {
    let address: Address
    let owner: Owner
  }

  /// An answer as applied to an address.
  struct Match: Sendable, Hashable {
    let owner: Owner
    /// Whether another address was asked about.
    let isInferred: Bool
  }

  let reuse: OwnerReuse
  private var blocks: [Prefix: [Answer]] = [:]
  /// The answers whose network is a block; the number per length shows which lengths to search.
  private var networks: [Prefix: Answer] = [:]
  private var lengths: Set<Int> = []
  /// The answers whose network is not a block.
  private var others: [Answer] = []
  /// Addresses to be asked about again, as if nothing were known.
  private var renewed: Set<Address> = []

  init(reuse: OwnerReuse) { self.reuse = reuse }

  func answers(in block: Prefix) -> [Answer] { blocks[block] ?? [] }

  mutating func note(_ answer: Answer) {
    guard answer.owner.isAnswer else { return }
    let block = reuse.block(of: answer.address)
    guard !answers(in: block).contains(where: { $0.address == answer.address }) else { return }
    blocks[block, default: []].append(answer)
    guard reuse == .range, let range = answer.owner.registration?.range else { return }
    if let network = Prefix(range) {
      networks[network] = answer
      lengths.insert(network.length)
    } else {
      others.append(answer)
    }
  }

  /// Adds a new answer, replacing the known one.
  mutating func replace(_ answer: Answer) {
    guard answer.owner.isAnswer else { return }
    let address = answer.address
    renewed.remove(address)
    let block = reuse.block(of: address)
    if answers(in: block).contains(where: { $0.address == address }) {
      blocks[block]?.removeAll { $0.address == address }
      networks = networks.filter { $0.value.address != address }
      others.removeAll { $0.address == address }
    }
    note(answer)
  }

  /// Hides what is known about some addresses until they are answered again or reinstated.
  mutating func renew(_ addresses: [Address]) { renewed.formUnion(addresses) }

  /// Shows again what is known about some addresses, unless they were answered.
  mutating func reinstate(_ addresses: [Address]) { renewed.subtract(addresses) }

  func match(_ address: Address) -> Match? {
    if renewed.contains(address) { return nil }
    let near = answers(in: reuse.block(of: address))
    if let own = near.first(where: { $0.address == address }) {
      return Match(owner: own.owner, isInferred: false)
    }
    guard reuse != .none else { return nil }
    let candidates = near + (reuse == .range ? far(address) : [])
    let narrowest = candidates.filter { $0.owner.mayHold(address) }
      .min { $0.owner.size < $1.owner.size }
    return narrowest.map { Match(owner: $0.owner, isInferred: true) }
  }

  /// The answers whose network contains an address, wherever they were requested.
  private func far(_ address: Address) -> [Answer] {
    let bits = address.isIPv4 ? 32 : 128
    let found = lengths.compactMap { length in
      length <= bits ? networks[Prefix(holding: address, length: length)] : nil
    }
    return found + others
  }
}

extension Owner {
  /// Whether the answer may apply to another address of the same block; the absence of a network
  /// has no bounds.
  fileprivate func mayHold(_ address: Address) -> Bool {
    guard let range = registration?.range else { return outcome == .unknown }
    return range.first.isIPv4 == address.isIPv4 && range.contains(address)
  }

  /// The number of addresses in the network, less one.
  fileprivate var size: UInt128 { registration?.range.lastOffset ?? .max }
}
