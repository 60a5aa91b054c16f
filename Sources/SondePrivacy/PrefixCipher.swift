import SondeAddresses
import SondeSystem
import Synchronization

/// Encrypts addresses so that those with equal leading bits have pseudonyms with as many equal
/// leading bits: ipcrypt-pfx of draft-denis-ipcrypt.
///
/// Any number of threads may use it; each works with its own contexts of libcrypto, and they share
/// what they remember.
final class PrefixCipher: Sendable {
  private let key: PseudonymKey
  private let memory = PseudonymMemory()
  private let first: CipherWorker
  private let idle: Mutex<[CipherWorker]>

  /// Creates a cipher; throws ``LibraryError`` without libcrypto or memory.
  init(_ key: PseudonymKey) throws(LibraryError) {
    self.key = key
    first = try CipherWorker(key)
    idle = Mutex([first])
  }

  /// Encrypts addresses in place.
  func encrypt(_ addresses: inout [Address]) {
    var missing: [Int] = []
    memory.replace(&addresses, missing: &missing)
    guard !missing.isEmpty else { return }
    let worker = takeWorker()
    memory.insert(worker.encrypt(&addresses, at: missing))
    idle.withLock { if !(worker === first && $0.contains { $0 === worker }) { $0.append(worker) } }
  }

  /// The address of a pseudonym.
  func decrypt(_ pseudonym: Address) -> Address { first.decrypt(pseudonym) }

  /// A worker that no other thread uses, or the first one, which makes threads wait for each
  /// other, without memory for another.
  private func takeWorker() -> CipherWorker {
    if let worker = idle.withLock({ $0.popLast() }) { return worker }
    return (try? CipherWorker(key)) ?? first
  }
}

/// The contexts and buffers with which one thread at a time encrypts addresses.
private final class CipherWorker: Sendable {
  private let state: Mutex<CipherState>

  init(_ key: PseudonymKey) throws(LibraryError) {
    guard let state = try CipherState(key) else {
      throw LibraryError(libcrypto: "there is not enough memory")
    }
    self.state = Mutex(state)
  }

  /// Encrypts the addresses at some positions, and returns them with their pseudonyms.
  func encrypt(
    _ addresses: inout [Address],
    at places: [Int]
  ) -> [(address: Address, pseudonym: Address)] {
    let known = places.map { addresses[$0] }
    let pseudonyms = state.withLock { $0.encrypt(known) }
    for (place, pseudonym) in zip(places, pseudonyms) { addresses[place] = pseudonym }
    return zip(known, pseudonyms).map { ($0, $1) }
  }

  func decrypt(_ pseudonym: Address) -> Address { state.withLock { $0.decrypt(pseudonym) } }
}

private struct CipherState: ~Copyable {
  /// The blocks encrypted in one call, 32 KiB: those of 64 IPv4 addresses, or of 16 IPv6 ones.
  private static let blockCount = 2048

  private var first: BlockCipher
  private var second: BlockCipher
  private var blocks = [UInt128](repeating: 0, count: blockCount)
  private var results = (
    [UInt128](repeating: 0, count: blockCount), [UInt128](repeating: 0, count: blockCount)
  )

  init?(_ key: PseudonymKey) throws(LibraryError) {
    guard let first = try BlockCipher(key: key.bytes[..<16]),
      let second = try BlockCipher(key: key.bytes[16...])
    else { return nil }
    self.first = first
    self.second = second
  }

  mutating func encrypt(_ addresses: [Address]) -> [Address] {
    var pseudonyms: [Address] = []
    pseudonyms.reserveCapacity(addresses.count)
    var count = 0
    for address in addresses {
      if count + 128 - address.start > Self.blockCount {
        finish(addresses, count, into: &pseudonyms)
        count = 0
      }
      append(address, &count)
    }
    finish(addresses, count, into: &pseudonyms)
    return pseudonyms
  }

  /// Appends the blocks of an address: for each bit those before it, behind one as a delimiter, in
  /// network order.
  private mutating func append(_ address: Address, _ count: inout Int) {
    let start = address.start
    var prefix = Self.padded(address.number, start)
    var rest = start == 0 ? address.number : address.number << UInt128(start)
    for _ in start..<128 {
      blocks[count] = prefix.bigEndian
      count &+= 1
      prefix = prefix &<< 1 | rest &>> 127
      rest = rest &<< 1
    }
  }

  /// Encrypts the blocks of the addresses behind those with a pseudonym, and appends theirs.
  private mutating func finish(
    _ addresses: [Address],
    _ count: Int,
    into pseudonyms: inout [Address]
  ) {
    guard count > 0 else { return }
    encryptBlocks(count)
    let (first, second) = (results.0.span, results.1.span)
    var block = 0
    while block < count {
      let address = addresses[pseudonyms.count]
      var flips: UInt128 = 0
      for _ in address.start..<128 {
        flips = flips &<< 1 | Self.lastBit(first[block] ^ second[block])
        block &+= 1
      }
      pseudonyms.append(Address(number: address.number ^ flips))
    }
  }

  private mutating func encryptBlocks(_ count: Int) {
    first.encrypt(blocks, count: count, into: &results.0)
    second.encrypt(blocks, count: count, into: &results.1)
  }

  mutating func decrypt(_ pseudonym: Address) -> Address {
    let start = pseudonym.start
    // Bits are decrypted in turn, each with the decrypted ones before it.
    var number = pseudonym.number
    for length in start..<128 {
      blocks[0] = Self.padded(number, length).bigEndian
      encryptBlocks(1)
      number ^= Self.lastBit(results.0[0] ^ results.1[0]) << UInt128(127 - length)
    }
    return Address(number: number)
  }

  /// The first bits of a number behind one as a delimiter.
  @inline(__always)
  private static func padded(_ number: UInt128, _ length: Int) -> UInt128 {
    1 << UInt128(length) | number >> UInt128(128 - length)
  }

  /// The last bit of a block in network order.
  @inline(__always)
  private static func lastBit(_ block: UInt128) -> UInt128 { UInt128(bigEndian: block) & 1 }
}

extension Address {
  /// The first encrypted bit: those before an IPv4 address are the same for all.
  fileprivate var start: Int { isIPv4 ? 96 : 0 }
}

extension LibraryError {
  fileprivate init(libcrypto detail: String) {
    self.init(library: DynamicLibrary("libcrypto.so.3", package: "libssl3"), detail: detail)
  }
}
