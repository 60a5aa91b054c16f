internal import CSondeNetlink

/// A message of a netlink datagram: `nlmsghdr` and its payload (netlink(7)).
struct NetlinkMessage: Equatable {
  /// `NLMSG_ERROR`, `RTM_NEWLINK` and so on.
  var type: Int
  var sequence: UInt32
  var payload: ArraySlice<UInt8>

  /// Splits a datagram into messages; truncated or malformed ones are dropped.
  static func all(in datagram: ArraySlice<UInt8>) -> [NetlinkMessage] {
    var messages: [NetlinkMessage] = []
    var rest = datagram
    while let length = rest.value(at: 0, as: UInt32.self),
      let type = rest.value(at: 4, as: UInt16.self),
      let sequence = rest.value(at: 8, as: UInt32.self), length >= 16, length <= rest.count
    {
      let payload = rest.dropFirst(16).prefix(Int(length) - 16)
      messages.append(NetlinkMessage(type: Int(type), sequence: sequence, payload: payload))
      rest = rest.dropFirst(aligned(Int(length)))
    }
    return messages
  }

  /// The error that an `NLMSG_ERROR` carries, as a positive `errno`; `nil` for other messages.
  var error: Int32? {
    guard type == Int(NLMSG_ERROR), let code = payload.value(at: 0, as: Int32.self) else {
      return nil
    }
    return code == .min ? .max : abs(code)
  }

  /// The attributes after a fixed header, by number (rtnetlink(7)); the last of duplicates counts.
  func attributes(after header: Int) -> [Int: ArraySlice<UInt8>] {
    attributesOf(payload.dropFirst(aligned(header)))
  }
}

/// The attributes in a sequence of bytes, such as nested ones.
func attributesOf(_ bytes: ArraySlice<UInt8>) -> [Int: ArraySlice<UInt8>] {
  var attributes: [Int: ArraySlice<UInt8>] = [:]
  var rest = bytes
  while let length = rest.value(at: 0, as: UInt16.self),
    let type = rest.value(at: 2, as: UInt16.self),
    length >= 4, length <= rest.count
  {
    // The two highest bits are flags: nested, and in network order.
    attributes[Int(type & 0x3fff)] = rest.dropFirst(4).prefix(Int(length) - 4)
    rest = rest.dropFirst(aligned(Int(length)))
  }
  return attributes
}

/// Rounds up to netlink's alignment of four bytes.
private func aligned(_ length: Int) -> Int { (length + 3) & ~3 }

extension ArraySlice<UInt8> {
  /// An integer in native byte order; `nil` if there are too few bytes.
  func value<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int,
    as type: Value.Type
  ) -> Value? {
    guard offset >= 0, count - offset >= MemoryLayout<Value>.size else { return nil }
    return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }

  /// Text up to the first zero byte.
  var text: String { String(decoding: prefix { $0 != 0 }, as: UTF8.self) }
}

/// A request: a header, a fixed part, attributes.
struct NetlinkRequest {
  private(set) var bytes: [UInt8]

  init(type: Int, flags: Int32, sequence: UInt32, fixedPart: [UInt8]) {
    bytes = []
    append(UInt32(0))
    append(UInt16(truncatingIfNeeded: type))
    append(UInt16(truncatingIfNeeded: NLM_F_REQUEST | flags))
    append(sequence)
    append(UInt32(0))
    bytes += fixedPart
    finish()
  }

  /// Adds an attribute (`rtattr`).
  mutating func add(_ type: Int, _ value: [UInt8]) {
    append(UInt16(4 + value.count))
    append(UInt16(truncatingIfNeeded: type))
    bytes += value
    finish()
  }

  private mutating func append(_ value: some FixedWidthInteger) { bytes += value.nativeBytes }

  private mutating func finish() {
    bytes += Array(repeating: 0, count: aligned(bytes.count) - bytes.count)
    bytes.replaceSubrange(0..<4, with: UInt32(bytes.count).nativeBytes)
  }
}

extension FixedWidthInteger {
  /// The bytes in native order.
  var nativeBytes: [UInt8] { unsafe withUnsafeBytes(of: self) { unsafe Array($0) } }
}
