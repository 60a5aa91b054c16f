package import SondePrivacy

/// What `--anonymize` makes of addresses.
package enum Anonymization: Sendable, Equatable {
  case truncate(Truncation)
  case pseudonym
  /// The way back from pseudonyms.
  case reveal

  /// Whether a key is needed.
  package var needsKey: Bool { self == .pseudonym || self == .reveal }

  /// The value in one spelling.
  package var spelling: String {
    switch self {
    case .truncate(let rule): "truncate=\(rule.ipv4),\(rule.ipv6)"
    case .pseudonym: "pseudonym"
    case .reveal: "reveal"
    }
  }
}

extension Form where Value == Anonymization {
  /// The kind of replacement, with the bits that stay of IPv4 and IPv6 addresses.
  static let anonymization = form(["truncate", "pseudonym"])

  /// The same with the way back.
  static let checkedAnonymization = form(["truncate", "pseudonym", "reveal"])

  private static func form(_ words: [String]) -> Form {
    Form(
      placeholder: "KIND",
      accepted: alternatives(["truncate", "truncate=N,M"] + words.dropFirst())
        + " (N at most 32, M at most 128)",
      completion: .words(words)
    ) { text throws(ValueProblem) in
      switch text {
      case "truncate": return .truncate(Truncation())
      case "pseudonym": return .pseudonym
      case "reveal" where words.contains(text): return .reveal
      case "reveal": throw .because("only check takes it")
      default: break
      }
      let halves = text.split(separator: "=", maxSplits: 1)
      guard halves.count == 2, halves[0] == "truncate" else { throw .malformed }
      let bits = halves[1].split(separator: ",", omittingEmptySubsequences: false)
      guard bits.count == 2 else { throw .malformed }
      return .truncate(
        Truncation(
          ipv4: try Form<Int>.count(0...32).read(String(bits[0])),
          ipv6: try Form<Int>.count(0...128).read(String(bits[1]))
        )
      )
    }
  }
}
