extension Form where Value == String {
  /// A name that could be that of a folder.
  static let guardName = Form(
    placeholder: "NAME",
    accepted: "up to 64 letters, digits, _, - and dots, but no dot first"
  ) { text throws(ValueProblem) in
    let isPart = { (byte: UInt8) in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || isDigit(byte)
        || "_-.".utf8.contains(byte)
    }
    guard !text.isEmpty, text.utf8.count <= 64, text.utf8.allSatisfy(isPart), !text.hasPrefix(".")
    else { throw .malformed }
    return text
  }

  /// A unit of systemd; whether it exists is not known.
  static let unit = Form(
    placeholder: "UNIT",
    accepted: "a unit such as ssh or ssh.service, or all"
  ) { text throws(ValueProblem) in
    guard !text.isEmpty, text.utf8.count <= 255, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
    else { throw .malformed }
    return text
  }
}

extension Form where Value == [String] {
  /// Names of fields, separated by commas; whether they exist is checked once sources are open.
  static let keyFields = Form(
    placeholder: "LIST",
    accepted: "field names with commas between them"
  ) { text throws(ValueProblem) in
    var names: [String] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = String(trimmed(item))
      guard !name.isEmpty else { throw .malformed }
      guard !names.contains(name) else { throw .because("\(name) stands there twice") }
      names.append(name)
    }
    return names
  }
}
