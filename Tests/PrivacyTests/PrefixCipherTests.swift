import SondeAddresses
import SondePrivacy
import Testing

/// A vector of draft-denis-ipcrypt, appendix "ipcrypt-pfx Test Vectors".
struct PseudonymVector: Sendable {
  let key: String
  let address: String
  let pseudonym: String

  static let all = basic + prefixes

  private static let basic = [
    ("0.0.0.0", "151.82.155.134"), ("255.255.255.255", "94.185.169.89"),
    ("192.0.2.1", "100.115.72.131"),
    ("2001:db8::1", "c180:5dd4:2587:3524:30ab:fa65:6ab6:f88"),
  ]
  .map {
    PseudonymVector(
      key: "0123456789abcdeffedcba98765432101032547698badcfeefcdab8967452301",
      address: $0,
      pseudonym: $1
    )
  }

  private static let prefixes = [
    ("10.0.0.47", "19.214.210.244"), ("10.0.0.129", "19.214.210.80"),
    ("10.0.0.234", "19.214.210.30"), ("172.16.5.193", "210.78.229.136"),
    ("172.16.97.42", "210.78.179.241"), ("172.16.248.177", "210.78.121.215"),
    ("2001:db8::a5c9:4e2f:bb91:5a7d", "7cec:702c:1243:f70:1956:125:b9bd:1aba"),
    ("2001:db8::7234:d8f1:3c6e:9a52", "7cec:702c:1243:f70:a3ef:c8e:95c1:cd0d"),
    ("2001:db8::f1e0:937b:26d4:8c1a", "7cec:702c:1243:f70:443c:c8e:6a62:b64d"),
    ("2001:db8:3a5c:0:e7d1:4b9f:2c8a:f673", "7cec:702c:3503:bef:e616:96bd:be33:a9b9"),
    ("2001:db8:9f27:0:b4e2:7a3d:5f91:c8e6", "7cec:702c:a504:b74e:194a:3d90:b047:2d1a"),
    ("2001:db8:d8b4:0:193c:a5e7:8b2f:46d1", "7cec:702c:f840:aa67:1b8:e84f:ac9d:77fb"),
  ]
  .map {
    PseudonymVector(
      key: "2b7e151628aed2a6abf7158809cf4f3ca9f5ba40db214c3798f2e1c23456789a",
      address: $0,
      pseudonym: $1
    )
  }

  func parsedKey() throws -> PseudonymKey { try PseudonymKey(file: Array("\(key)\n".utf8)) }
}

@Suite struct PrefixCipherTests {
  @Test(arguments: PseudonymVector.all)
  func `pseudonyms are those of the draft, and lead back`(vector: PseudonymVector) throws {
    let key = try vector.parsedKey()
    let address = try #require(Address(vector.address))
    let pseudonym = try Anonymizer(.pseudonyms(key))(address)
    #expect("\(pseudonym)" == vector.pseudonym)
    #expect(try Pseudonyms(key).address(of: pseudonym) == address)
  }

  @Test func `many addresses at once become what each becomes alone`() throws {
    let key = try PseudonymVector.all[0].parsedKey()
    let anonymizer = try Anonymizer(.pseudonyms(key))
    var generator = SystemRandomNumberGenerator()
    var addresses: [Address] = []
    for _ in 0..<700 {
      addresses.append(Address(ipv4: generator.next()))
      addresses.append(Address(high: generator.next(), low: generator.next()))
    }
    // The memory of earlier pseudonyms makes no difference.
    addresses += addresses.shuffled()
    var all = addresses
    anonymizer.replace(&all)
    for (address, pseudonym) in zip(addresses, all).prefix(200) {
      #expect(try Anonymizer(.pseudonyms(key))(address) == pseudonym)
      #expect(try Pseudonyms(key).address(of: pseudonym) == address)
      #expect(address.isIPv4 == pseudonym.isIPv4)
    }
    var again = addresses
    anonymizer.replace(&again)
    #expect(again == all)
  }

  @Test func `threads that share what is remembered agree`() async throws {
    let key = try PseudonymVector.all[0].parsedKey()
    let anonymizer = try Anonymizer(.pseudonyms(key))
    // More than are remembered of one hash, and zero, which is not.
    let addresses =
      (0..<3000).map { Address(ipv4: $0 << 14) }
      + (0..<300).map { Address(high: 0x2a00 << 48, low: $0) }
    let pseudonyms = try Pseudonyms(key)
    await withTaskGroup(of: [Address].self) { group in
      for _ in 0..<8 {
        group.addTask {
          var all = addresses
          for _ in 0..<20 {
            all = addresses
            anonymizer.replace(&all)
          }
          return all
        }
      }
      for await all in group { #expect(all.map { pseudonyms.address(of: $0) } == addresses) }
    }
  }

  @Test func `addresses have as many leading bits in common as their pseudonyms`() throws {
    let key = try PseudonymVector.all[4].parsedKey()
    let anonymizer = try Anonymizer(.pseudonyms(key))
    var generator = SystemRandomNumberGenerator()
    for isIPv4 in [true, false] {
      let bits = isIPv4 ? 32 : 128
      for length in 0..<bits {
        let address =
          isIPv4
          ? Address(ipv4: generator.next())
          : Address(high: generator.next(), low: generator.next())
        let other = Address(number: address.number ^ 1 << UInt128(bits - 1 - length))
        let difference = anonymizer(address).number ^ anonymizer(other).number
        #expect(difference.leadingZeroBitCount == 128 - bits + length)
      }
    }
  }
}

@Suite struct PseudonymKeyTests {
  private let digits = "0123456789abcdeffedcba98765432101032547698badcfeefcdab8967452301"

  @Test func `a key is 64 hexadecimal digits, whatever the case and the white space`() throws {
    let plain = try PseudonymKey(file: Array(digits.utf8))
    let spaced = digits.uppercased().map { "\($0) \t\r\n" }.joined()
    #expect(try PseudonymKey(file: Array(spaced.utf8)) == plain)
  }

  @Test(arguments: ["", "00", "xyz", "0x"])
  func `other content is no key`(prefix: String) {
    let text = prefix + digits.dropFirst(prefix.isEmpty ? 1 : 0)
    #expect(throws: PseudonymKeyError.malformed) { try PseudonymKey(file: Array(text.utf8)) }
  }

  @Test func `two equal halves are no key`() {
    let half = digits.prefix(32)
    let text = half + half.uppercased()
    #expect(throws: PseudonymKeyError.equalHalves) { try PseudonymKey(file: Array(text.utf8)) }
  }
}
