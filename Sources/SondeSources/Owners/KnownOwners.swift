package import SondeAddresses
import SondeProviders
import SondeTables

/// The answers of registries that a run knows, and for which addresses they hold: a pure value.
///
/// It grows with the questions that were asked, which are few: the registries see to that.
package struct KnownOwners: Sendable {
  /// An answer, and what was asked about.
  package struct Answer: Sendable, Hashable {
    let address: Address
    let owner: Owner
  }

  /// An answer as it holds for an address.
  package struct Match: Sendable, Hashable {
    let owner: Owner
    /// Whether another address was asked about.
    let isInferred: Bool
  }

  let reuse: OwnerReuse
  private var blocks: [Prefix: [Answer]] = [:]
  /// By the networks that are a block; how many there are of each length tells where to look.
  private var networks: [Prefix: Answer] = [:]
  private var lengths: Set<Int> = []
  /// Those whose network is no block.
  private var others: [Answer] = []
  /// Addresses that are asked about anew, as if nothing were known.
  private var renewed: Set<Address> = []

  package init(reuse: OwnerReuse) { self.reuse = reuse }

  /// The answers that were asked for in a block.
  func answers(in block: Prefix) -> [Answer] { blocks[block] ?? [] }

  /// Takes an answer.
  package mutating func note(_ answer: Answer) {
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

  /// Takes an answer that has just come, in the place of the one that was known.
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

  /// Has nothing known of some addresses, until they are answered anew or reinstated.
  mutating func renew(_ addresses: [Address]) { renewed.formUnion(addresses) }

  /// Has known again what was of some addresses, as far as they were not answered.
  mutating func reinstate(_ addresses: [Address]) { renewed.subtract(addresses) }

  /// What is known of an address.
  package func match(_ address: Address) -> Match? {
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

  /// The answers about networks that hold an address, wherever they were asked for.
  private func far(_ address: Address) -> [Answer] {
    let bits = address.isIPv4 ? 32 : 128
    let found = lengths.compactMap { length in
      length <= bits ? networks[Prefix(holding: address, length: length)] : nil
    }
    return found + others
  }
}

extension Owner {
  /// Whether the answer may hold for another address of the same block; that there is no network has no
  /// bounds of its own.
  fileprivate func mayHold(_ address: Address) -> Bool {
    guard let range = registration?.range else { return outcome == .unknown }
    return range.first.isIPv4 == address.isIPv4 && range.contains(address)
  }

  /// How many addresses it is about, less one.
  fileprivate var size: UInt128 { registration?.range.lastOffset ?? .max }
}
