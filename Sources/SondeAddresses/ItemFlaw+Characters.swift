// Characters that resemble those of an address.
extension ItemFlaw {
  /// `８.８.８.８`, `1.1.1.1–1.1.1.9`, a zero-width space: reports the first such character.
  static let nonASCII: Detector = { item in
    guard let start = item.firstIndex(where: { $0 >= 0x80 }) else { return nil }
    var (result, reason, isPlain) = ([UInt8](), String?.none, true)
    for scalar in String(decoding: item, as: UTF8.self).unicodeScalars {
      let likeness = Likeness(scalar)
      if !scalar.isASCII { reason = reason ?? likeness.reason(scalar) }
      isPlain = isPlain && likeness.ascii != nil
      result += likeness.ascii ?? [UInt8(ascii: "x")]
    }
    guard let reason else { return nil }
    if isPlain { return ItemFlaw(start, reason, mended: result) }
    return name(result).map { ItemFlaw(0, $0.reason) } ?? ItemFlaw(start, reason)
  }
}

/// The ASCII equivalent of a character.
private struct Likeness {
  private enum Kind { case digit, dash, quote, space, invisible, form, other }

  private let kind: Kind

  /// The ASCII text that is meant; `nil` if there is none.
  let ascii: [UInt8]?

  init(_ scalar: Unicode.Scalar) {
    if scalar.isASCII {
      (kind, ascii) = (.other, [UInt8(ascii: scalar)])
    } else if scalar.properties.numericType == .decimal {
      let value = scalar.properties.numericValue.map { UInt8($0) } ?? 0
      (kind, ascii) = (.digit, [0x30 + value])
    } else if (0xff01...0xff5e).contains(scalar.value) {
      // Full-width forms are in the order of ASCII.
      (kind, ascii) = (.form, [UInt8(truncatingIfNeeded: scalar.value - 0xfee0)])
    } else if scalar.value == 0x3002 || scalar.value == 0x2024 {
      (kind, ascii) = (.form, [UInt8(ascii: ".")])
    } else {
      (kind, ascii) = Self.byCategory(scalar)
    }
  }

  private static func byCategory(_ scalar: Unicode.Scalar) -> (Kind, [UInt8]?) {
    switch scalar.properties.generalCategory {
    case .dashPunctuation: (.dash, [UInt8(ascii: "-")])
    case .initialPunctuation, .finalPunctuation: (.quote, [UInt8(ascii: "\"")])
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: (.space, [UInt8(ascii: " ")])
    case .format: (.invisible, [])
    default: scalar.value == 0x2212 ? (.dash, [UInt8(ascii: "-")]) : (.other, nil)
    }
  }

  func reason(_ scalar: Unicode.Scalar) -> String {
    let name = Text.name(of: scalar)
    switch kind {
    case .digit: return "has a digit that is not ASCII (\(name))"
    case .dash: return "has a dash that is not '-' (\(name))"
    case .quote: return "is in quotes (\(name))"
    case .space: return "has a space that is not ASCII (\(name))"
    case .invisible: return "holds an invisible character (\(name))"
    case .form, .other: return "holds a character that no address has (\(name))"
    }
  }
}
