#if DEBUG
  /// Code that foreign bytes go through.
  ///
  /// Whatever the bytes, it must neither trap nor hang, nor take memory out of proportion to them. What
  /// else must hold, a target checks with `precondition`.
  struct FuzzTarget: Sendable {
    /// Its name, which its folder of the corpus has, too.
    let name: String
    /// Gives it bytes.
    let run: @Sendable ([UInt8]) -> Void

    init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
      (self.name, self.run) = (name, run)
    }

    /// All targets.
    static let all = decoders + databases + captures + answers + servers + tables
  }

  /// Takes what a target is to be varied by off the beginning of its bytes.
  struct FuzzBytes {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The bytes that are left.
    var all: [UInt8] { Array(rest) }

    /// The next byte; 0 where there is none.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// One of several values.
    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int(byte()) % values.count] }

    /// The next number of eight bytes.
    mutating func number() -> UInt64 {
      (0..<8).reduce(0) { number, _ in number << 8 | UInt64(byte()) }
    }

    /// The sizes of pieces: each a power of 2, up to 32 KiB.
    mutating func size() -> Int { 1 << Int(byte() & 15) }
  }
#endif
