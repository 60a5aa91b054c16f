import SondeBlock

extension Form where Value == Share {
  static let share = Form(
    placeholder: "SHARE",
    accepted: "a percentage from 0% to 100%, such as 95% or 0.1%"
  ) { text throws(ValueProblem) in try wellFormed(Share(text)) }
}

extension Form where Value == BlockLimits.Lengths {
  static let shortest = lengths(BlockLimits().shortest)
  static let longest = lengths(BlockLimits().longest)

  /// A length of IPv4's prefixes, and one of IPv6's; without the latter, that is the usual one.
  private static func lengths(_ usual: BlockLimits.Lengths) -> Form {
    Form(
      placeholder: "N[,N]",
      accepted: "a length from 0 to 32, and behind a comma one from 0 to 128"
    ) { text throws(ValueProblem) in
      let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard parts.count <= 2, let first = parts.first else { throw .malformed }
      var lengths = usual
      lengths.ipv4 = try length(first, 32)
      if parts.count == 2 { lengths.ipv6 = try length(parts[1], 128) }
      return lengths
    }
  }

  private static func length(_ text: String, _ most: Int) throws(ValueProblem) -> Int {
    do throws(ValueProblem) {
      return try Form<Int>.count(0...most).read(text)
    } catch {
      throw .malformed
    }
  }
}

extension Form where Value == String {
  static let never = Form(
    placeholder: "WHAT",
    accepted: "a file of networks, or the name of a list",
    completion: .files
  ) { text throws(ValueProblem) in
    guard !text.isEmpty else { throw .malformed }
    return text
  }

  static let ruleName = Form(
    placeholder: "NAME",
    accepted: "a letter, then up to 23 letters, digits, _ and -"
  ) { text throws(ValueProblem) in
    let bytes = text.utf8
    let isLetter = { (byte: UInt8) in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
    guard let first = bytes.first, isLetter(first), bytes.count <= 24,
      bytes.allSatisfy({ isLetter($0) || isDigit($0) || "_-".utf8.contains($0) })
    else { throw .malformed }
    return text
  }
}
