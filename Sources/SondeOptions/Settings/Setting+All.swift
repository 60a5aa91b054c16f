extension Setting {
  /// Every setting, in the order of help.
  package static let all: [Setting] =
    (input + output + providers + requests + cache + network + alerts + server + messages + rest)

  /// The first setting with this long name; see ``own(of:)``.
  static func named(_ name: some StringProtocol) -> Setting? { all.first { $0.name == name } }
}
