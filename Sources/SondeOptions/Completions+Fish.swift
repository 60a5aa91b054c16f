/// The completion script for fish 3 and later.
enum FishCompletions {
  static var script: String {
    let commands = CommandName.allCases.map { name in
      """
      complete -c sonde -n __sonde_follows -a \(name.rawValue) \
      -d \(quoted(name.row.summary))
      """
    }
    let options = Setting.all.filter { $0.places.contains(.commandLine) }.map(line)
    let operands = CommandName.allCases.flatMap(operandLines)
    return """
      # Completions of sonde for fish: source this file, or save it as
      # ~/.config/fish/completions/sonde.fish

      # The words on the line that are neither options nor their values: the command comes first.
      function __sonde_words
        set -l skip 0
        for word in (commandline -opc)[2..-1]
          if test $skip = 1
            set skip 0
            continue
          end
          switch $word
            case \(valued)
              set skip 1
            case '-*'
            case '*'
              echo $word
          end
        end
      end

      function __sonde_has_command
        set -l words (__sonde_words)
        contains -- "$words[1]" $argv
      end

      # Whether just these words are there.
      function __sonde_follows
        set -l words (__sonde_words)
        test "$words" = "$argv"
      end

      complete -c sonde -f
      \((commands + options + operands).joined(separator: "\n"))

      """
  }

  private static var valued: String {
    Setting.spellingsBeforeValue.joined(separator: " ")
  }

  private static func line(_ setting: Setting) -> String {
    var words = ["complete -c sonde"]
    if setting.answer == nil {
      let names = setting.commands.map(\.rawValue).joined(separator: " ")
      words.append("-n '__sonde_has_command \(names)'")
    }
    if let short = setting.short { words.append("-s \(short)") }
    words.append("-l \(setting.name)")
    if !setting.isFlag { words.append(value(setting.value.completion)) }
    words.append("-d \(quoted(setting.summary))")
    return words.joined(separator: " ")
  }

  private static func value(_ completion: Completion) -> String {
    switch completion {
    case .nothing: "-x"
    case .files: "-r -F"
    case .words(let words): "-x -a '\(words.joined(separator: " "))'"
    case .list(let words): "-x -a '(__fish_append , \(words.joined(separator: " ")))'"
    }
  }

  private static func operandLines(_ name: CommandName) -> [String] {
    let operands = name.row.operands
    let following = operands.following.sorted { $0.key < $1.key }
      .map { line(after: "\(name.rawValue) \($0)", $1) }
    return switch operands.completion {
    case .nothing: following
    case .files: ["complete -c sonde -n '__sonde_has_command \(name.rawValue)' -F"] + following
    case .words(let words), .list(let words): [line(after: name.rawValue, words)] + following
    }
  }

  private static func line(after words: String, _ operands: [String]) -> String {
    "complete -c sonde -n '__sonde_follows \(words)' -a '\(operands.joined(separator: " "))'"
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.reduce(into: "") { result, character in
      if "'\\".contains(character) { result.append("\\") }
      result.append(character)
    }
    return "'\(escaped)'"
  }
}
