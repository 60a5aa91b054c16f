// Quotes, brackets and other characters around addresses.
extension ItemFlaw {
  static let commaReason = "has commas: a table belongs to `annotate --style columns`"

  static func firstComma(_ item: Span<UInt8>) -> Int? {
    item.indices.first { item[$0] == UInt8(ascii: ",") }
  }

  /// `8.8.8.8,US`; a trailing comma is removed.
  static let commas: Detector = { item in
    guard let comma = item.firstIndex(of: UInt8(ascii: ",")) else { return nil }
    guard comma == item.count - 1 else { return ItemFlaw(comma, commaReason) }
    return ItemFlaw(comma, commaReason, mended: item.dropLast())
  }

  /// `"8.8.8.8"`, `'8.8.8.8'` and the like.
  static let quotes: Detector = { item in
    guard let first = item.first, let last = item.last else { return nil }
    let marks = "\"'`".utf8
    if marks.contains(first) {
      let end = item.count > 1 && marks.contains(last) ? item.count - 1 : item.count
      return ItemFlaw(0, "is in quotes", mended: item[1..<max(1, end)])
    }
    guard marks.contains(last) else { return nil }
    return ItemFlaw(item.count - 1, "ends with a quote", mended: item.dropLast())
  }

  private static let defangings: [(fanged: String, plain: String)] = [
    ("[.]", "."), ("(.)", "."), ("{.}", "."), ("[dot]", "."), ("(dot)", "."), ("{dot}", "."),
    ("\\.", "."), ("[:]", ":"), ("(:)", ":"), ("{:}", ":"), ("[://]", "://"),
    ("[/]", "/"), ("hxxps://", "https://"), ("hxxp://", "http://"), ("[.", "."), (".]", "."),
  ]

  /// `1[.]2[.]3[.]4`, `hxxp://1.2.3.4`: written so that it is not opened by accident.
  static let defanged: Detector = { item in
    var (result, first, position) = ([UInt8](), Int?.none, 0)
    while position < item.count {
      let rest = item[position...]
      if let match = defangings.first(where: { rest.startsIgnoringCase($0.fanged.utf8) }) {
        first = first ?? position
        result += match.plain.utf8
        position += match.fanged.utf8.count
      } else {
        result.append(item[position])
        position += 1
      }
    }
    let isRead = RefangedText(item.span).map { isValid($0.bytes) } ?? false
    let reason = isRead ? "is defanged, which --refang reads" : "is defanged"
    return first.map { ItemFlaw($0, reason, mended: result) }
  }

  /// `http://user@8.8.8.8/path`: the correction is the host.
  static let url: Detector = { item in
    guard let colon = item.firstIndex(of: UInt8(ascii: ":")), colon > 0, item[0].isLetter else {
      return nil
    }
    guard item[colon...].starts(with: "://".utf8) else { return nil }
    let rest = item[(colon + 3)...]
    let authority = rest.prefix { !"/?#".utf8.contains($0) }
    let host =
      authority.lastIndex(of: UInt8(ascii: "@")).map { authority[($0 + 1)...] } ?? authority
    return ItemFlaw(0, "is a URL", mended: host)
  }

  private static let pairs: [UInt8: UInt8] = [
    UInt8(ascii: "["): UInt8(ascii: "]"), UInt8(ascii: "("): UInt8(ascii: ")"),
    UInt8(ascii: "{"): UInt8(ascii: "}"), UInt8(ascii: "<"): UInt8(ascii: ">"),
  ]

  /// `[2001:db8::1]`, `[2001:db8::1]:443`, `(8.8.8.8)`.
  static let brackets: Detector = { item in
    guard let open = item.first, let close = pairs[open] else { return nil }
    guard let end = item.firstIndex(of: close) else {
      return ItemFlaw(0, "has a bracket that is not closed", mended: item.dropFirst())
    }
    let (inside, after) = (item[1..<end], item[(end + 1)...])
    guard let next = after.first else { return ItemFlaw(0, "is in brackets", mended: inside) }
    switch next {
    case UInt8(ascii: ":"): return ItemFlaw(end + 1, "has a port", mended: inside)
    case UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "%"):
      return ItemFlaw(0, "is in brackets", mended: inside + after)
    default: return ItemFlaw(end + 1, "goes on after the bracket")
    }
  }

  /// `8.8.8.8.`, `8.8.8.8;`: the end of a sentence or statement.
  static let endPunctuation: Detector = { item in
    guard item.count > 1, let last = item.last, ".;!?)]}>".utf8.contains(last) else { return nil }
    // `1.2.3.` lacks an octet, and a host name may end with a dot.
    guard isValid(item.dropLast()) else { return nil }
    return ItemFlaw(item.count - 1, "ends with \(quote([last]))", mended: item.dropLast())
  }
}
