/// Reads the values of an MMDB data section, whatever its bytes are.
///
/// The format is https://maxmind.github.io/MaxMind-DB/, "Output Data Section". libmaxminddb's own
/// reader takes one path per call and, in common versions, follows nesting without a limit; this
/// one reads all required values in one pass, in at most ``budget`` steps per record.
struct MaxMindReader {
  /// The bytes are not a record.
  struct Damage: Error { let reason: String }

  /// A value, or the head of a map or list.
  ///
  /// The contents of a map or list follow immediately, unless it was reached through a pointer.
  enum Value {
    case map(count: Int, contents: Int?)
    case list(count: Int, contents: Int?)
    case text(Range<Int>)
    case number(Double)
    /// A number of 32 bits.
    case single(Float)
    case integer(UInt64)
    case signed(Int32)
    case wide(UInt128)
    case bytes(Range<Int>)
    case flag(Bool)
    /// No value.
    case other
  }

  /// The type numbers of the format.
  private enum Kind: Int {
    case pointer = 1
    case text, double, bytes, unsigned16, unsigned32, map, signed32, unsigned64, unsigned128, list
    case container, end, flag, float
  }

  private struct Head {
    var kind: Kind
    /// The bytes of the payload, the entries of a map or list, or the value of a flag or pointer.
    var size: Int
  }

  /// The number of values that may still be read.
  private var budget = 4096

  /// Reads the value at `offset` and moves past it, or past the head of a map or list.
  mutating func value(in data: Span<UInt8>, at offset: inout Int) throws(Damage) -> Value {
    let head = try head(in: data, at: &offset)
    guard head.kind == .pointer else {
      return try value(of: head, in: data, at: &offset, isPointedTo: false)
    }
    var target = head.size
    let pointed = try self.head(in: data, at: &target)
    guard pointed.kind != .pointer else { throw Damage(reason: "a pointer points to a pointer") }
    return try value(of: pointed, in: data, at: &target, isPointedTo: true)
  }

  /// Skips the value at `offset` and its contents.
  mutating func skip(in data: Span<UInt8>, at offset: inout Int) throws(Damage) {
    var pending = 1
    while pending > 0 {
      pending -= 1
      let head = try head(in: data, at: &offset)
      switch head.kind {
      case .map: pending += head.size * 2
      case .list: pending += head.size
      case .pointer, .flag: break
      default: _ = try payload(head.size, in: data, at: &offset)
      }
    }
  }

  private func value(
    of head: Head,
    in data: Span<UInt8>,
    at offset: inout Int,
    isPointedTo: Bool
  ) throws(Damage) -> Value {
    switch head.kind {
    case .map: return .map(count: head.size, contents: isPointedTo ? offset : nil)
    case .list: return .list(count: head.size, contents: isPointedTo ? offset : nil)
    case .flag: return .flag(head.size != 0)
    default: break
    }
    let payload = try payload(head.size, in: data, at: &offset)
    switch head.kind {
    case .text: return .text(payload)
    case .double where head.size == 8:
      return .number(Double(bitPattern: Self.integer(in: data, payload)))
    case .float where head.size == 4:
      let bits = UInt32(truncatingIfNeeded: Self.integer(in: data, payload))
      return .single(Float(bitPattern: bits))
    case .unsigned16 where head.size <= 2, .unsigned32 where head.size <= 4,
      .unsigned64 where head.size <= 8:
      return .integer(Self.integer(in: data, payload))
    case .signed32 where head.size <= 4:
      return .signed(Int32(truncatingIfNeeded: Self.integer(in: data, payload)))
    case .unsigned128 where head.size <= 16:
      var number: UInt128 = 0
      for index in payload { number = number << 8 | UInt128(data[index]) }
      return .wide(number)
    case .bytes: return .bytes(payload)
    case .double, .float, .unsigned16, .unsigned32, .unsigned64, .signed32, .unsigned128:
      throw Damage(reason: "a number has \(head.size) bytes")
    default: return .other
    }
  }

  private func payload(
    _ size: Int,
    in data: Span<UInt8>,
    at offset: inout Int
  ) throws(Damage) -> Range<Int> {
    guard size <= data.count - offset else { throw Damage(reason: "a value ends past the data") }
    defer { offset += size }
    return offset..<offset + size
  }

  /// Reads control bytes: a type, possibly its extension, and a size in up to three more bytes.
  private mutating func head(in data: Span<UInt8>, at offset: inout Int) throws(Damage) -> Head {
    budget -= 1
    guard budget >= 0 else { throw Damage(reason: "a record has too many values") }
    let control = Int(try byte(in: data, at: &offset))
    let number = control >> 5 == 0 ? 7 + Int(try byte(in: data, at: &offset)) : control >> 5
    guard let kind = Kind(rawValue: number) else {
      throw Damage(reason: "a value has the unknown type \(number)")
    }
    if kind == .pointer { return try pointer(control, in: data, at: &offset) }
    let short = control & 31
    guard short > 28 else { return Head(kind: kind, size: short) }
    let extra = try payload(short - 28, in: data, at: &offset)
    let base = [29, 285, 65_821][short - 29]
    return Head(kind: kind, size: base + Int(Self.integer(in: data, extra)))
  }

  private func pointer(
    _ control: Int,
    in data: Span<UInt8>,
    at offset: inout Int
  ) throws(Damage) -> Head {
    let width = control >> 3 & 3
    let bytes = try payload(width + 1, in: data, at: &offset)
    let low = Int(Self.integer(in: data, bytes))
    guard width < 3 else { return Head(kind: .pointer, size: low) }
    let base = [0, 2048, 526_336][width]
    return Head(kind: .pointer, size: base + ((control & 7) << (8 * (width + 1)) | low))
  }

  private func byte(in data: Span<UInt8>, at offset: inout Int) throws(Damage) -> UInt8 {
    guard offset < data.count else { throw Damage(reason: "a value ends past the data") }
    defer { offset += 1 }
    return data[offset]
  }

  private static func integer(in data: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
    var number: UInt64 = 0
    for index in range { number = number << 8 | UInt64(data[index]) }
    return number
  }
}
