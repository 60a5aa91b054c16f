import SondeAddresses
import SondeSystem
import Synchronization

/// Encrypts addresses so that those with equal leading bits have pseudonyms with as many equal
/// leading bits: ipcrypt-pfx of draft-denis-ipcrypt.
///
/// Any number of threads may use it; each works with its own contexts of libcrypto.
final class PrefixCipher: Sendable {
  private let key: PseudonymKey
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
    let worker = takeWorker()
    worker.encrypt(&addresses)
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

  func encrypt(_ addresses: inout [Address]) {
    state.withLock { state in state.encrypt(&addresses) }
  }

  func decrypt(_ pseudonym: Address) -> Address { state.withLock { $0.decrypt(pseudonym) } }
}

private struct CipherState: ~Copyable {
  /// The blocks encrypted in one call, 64 KiB: those of 128 IPv4 addresses, or of 32 IPv6 ones.
  private static let blockCount = 4096

  private var ciphers: Ciphers
  private var memory = PseudonymMemory(ofZeros: (Address(ipv4: 0), Address(high: 0, low: 0)))
  private var blocks = [UInt128](repeating: 0, count: blockCount)
  private var results = (
    [UInt128](repeating: 0, count: blockCount), [UInt128](repeating: 0, count: blockCount)
  )
  /// The positions of addresses whose pseudonyms are not remembered.
  private var missing: [Int] = []

  private struct Ciphers: ~Copyable {
    var first: BlockCipher
    var second: BlockCipher
  }

  init?(_ key: PseudonymKey) throws(LibraryError) {
    guard let first = try BlockCipher(key: key.bytes[..<16]),
      let second = try BlockCipher(key: key.bytes[16...])
    else { return nil }
    ciphers = Ciphers(first: first, second: second)
    var zeros = [Address(ipv4: 0), Address(high: 0, low: 0)]
    encryptUnknown(&zeros, at: [0, 1])
    memory = PseudonymMemory(ofZeros: (zeros[0], zeros[1]))
  }

  mutating func encrypt(_ addresses: inout [Address]) {
    missing.removeAll(keepingCapacity: true)
    for index in addresses.indices {
      if let known = memory[addresses[index]] {
        addresses[index] = known
      } else {
        missing.append(index)
      }
    }
    encryptUnknown(&addresses, at: missing[...])
  }

  private mutating func encryptUnknown(_ addresses: inout [Address], at places: ArraySlice<Int>) {
    var (rest, count) = (places, 0)
    for (index, place) in places.enumerated() {
      let bits = addresses[place].start..<128
      if count + bits.count > Self.blockCount {
        finish(&addresses, at: rest.prefix(index - (places.count - rest.count)), count)
        rest = places.dropFirst(index)
        count = 0
      }
      let number = addresses[place].number
      for length in bits {
        blocks[count] = Self.padded(number, length)
        count &+= 1
      }
    }
    finish(&addresses, at: rest, count)
  }

  /// Encrypts the blocks, and combines the results with the bits of the addresses.
  private mutating func finish(
    _ addresses: inout [Address],
    at places: ArraySlice<Int>,
    _ count: Int
  ) {
    guard count > 0 else { return }
    ciphers.first.encrypt(blocks, count: count, into: &results.0)
    ciphers.second.encrypt(blocks, count: count, into: &results.1)
    var block = 0
    for place in places {
      let address = addresses[place]
      var flips: UInt128 = 0
      for _ in address.start..<128 {
        flips = flips << 1 | Self.lastBit(results.0[block] ^ results.1[block])
        block &+= 1
      }
      let pseudonym = Address(number: address.number ^ flips)
      addresses[place] = pseudonym
      memory.insert(pseudonym, of: address)
    }
  }

  mutating func decrypt(_ pseudonym: Address) -> Address {
    let start = pseudonym.start
    // Bits are decrypted in turn, each with the decrypted ones before it.
    var number = pseudonym.number
    for length in start..<128 {
      blocks[0] = Self.padded(number, length)
      ciphers.first.encrypt(blocks, count: 1, into: &results.0)
      ciphers.second.encrypt(blocks, count: 1, into: &results.1)
      number ^= Self.lastBit(results.0[0] ^ results.1[0]) << UInt128(127 - length)
    }
    return Address(number: number)
  }

  /// The first bits of a number with a bit before them as a delimiter, in network order.
  @inline(__always)
  private static func padded(_ number: UInt128, _ length: Int) -> UInt128 {
    (1 << UInt128(length) | number >> UInt128(128 - length)).bigEndian
  }

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
