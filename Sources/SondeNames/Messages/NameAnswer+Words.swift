extension NameAnswer {
  /// The name of a response code (IANA, DNS RCODEs).
  static func words(of code: UInt8) -> String {
    switch code {
    case 1: "FORMERR"
    case 2: "SERVFAIL"
    case 4: "NOTIMP"
    case 5: "REFUSED"
    default: "response code \(code)"
    }
  }
}
