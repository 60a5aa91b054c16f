// IPv4 addresses that are product versions (RFC 9110 §10.1.5).

extension LogRules {
  /// Whether an IPv4 address is a product version, `NAME/1.2.3.4`: of a browser, or in a field of
  /// products.
  ///
  /// `slash` is the character before it; text before `floor` is ignored.
  static func isVersion(
    _ text: Span<UInt8>,
    _ match: LogMatch,
    _ slash: LogCharacter,
    from floor: Int,
    _ memory: inout LogMemory
  ) -> Bool {
    guard slash.byte == UInt8(ascii: "/"),
      let name = ProductName(text, endingAt: slash.edge, from: floor),
      !hasPort(text, at: match.end)
    else { return false }
    return name.isBrowser
      || memory.fields.holdProducts(text, around: match.start..<match.end, from: floor)
  }

  /// Whether a `:`, `(` or `/` and a digit follow an address: a port or a prefix length.
  private static func hasPort(_ text: Span<UInt8>, at end: Int) -> Bool {
    let limit = min(text.count, end &+ LogMemory.reach)
    let next = LogCharacter(text, from: end, to: limit)
    return next.byte.beginsPort && LogCharacter(text, from: next.edge, to: limit).byte.isDigit
  }
}

#if arch(x86_64)
  // MARK: - The short way

  extension LogRules {
    /// The plain name and `/` before an address without a port; `nil` if a closer look is needed.
    @inline(__always)
    static func plainName(_ text: Span<UInt8>, before quad: DottedQuad) -> ProductName? {
      let slash = quad.start &- 1
      guard slash >= 0, text[slash] == UInt8(ascii: "/"), !text.byte(quad.end).beginsPort else {
        return nil
      }
      return ProductName(plain: text, endingAt: slash)
    }

    /// Appends an address after a plain name, unless it is a product version.
    static func named(
      _ name: ProductName,
      _ text: Span<UInt8>,
      _ quad: DottedQuad,
      _ memory: inout LogMemory,
      into matches: inout [LogMatch]
    ) -> Int {
      guard !name.isBrowser else { return quad.end }
      let floor = max(0, quad.start &- LogMemory.reach)
      if !memory.fields.holdProducts(text, around: quad.start..<quad.end, from: floor) {
        matches.append(quad.match)
      }
      return quad.end
    }
  }
#endif

extension UInt8 {
  /// Whether a digit after this begins a port or a prefix length.
  @inline(__always)
  fileprivate var beginsPort: Bool {
    self == UInt8(ascii: ":") || self == UInt8(ascii: "(") || self == UInt8(ascii: "/")
  }
}
