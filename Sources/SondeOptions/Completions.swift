/// A shell with a completion script.
package enum Shell: String, CaseIterable, Sendable {
  case bash, zsh, fish

  /// The script that completes commands, options, their values and file names.
  package var completions: String {
    switch self {
    case .bash: BashCompletions.script
    case .zsh: ZshCompletions.script
    case .fish: FishCompletions.script
    }
  }
}

extension CommandName {
  var options: [Setting] {
    Setting.all.filter { $0.places.contains(.commandLine) && $0.isTaken(by: self) }
  }
}

extension Setting {
  /// The spellings of all options that take a value, each once.
  static var spellingsBeforeValue: [String] {
    let valued = all.filter { $0.places.contains(.commandLine) && !$0.isFlag }
    var known: Set<String> = []
    return valued.filter { known.insert($0.name).inserted }.flatMap(\.spellings)
  }

  /// Every spelling on the command line, the short one first.
  package var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + [option] }
}
