/// The completion script for fish 3 and later.
enum FishCompletions {
  static var script: String {
    let commands = CommandName.allCases.map { name in
      """
      complete -c sonde -n __sonde_lacks_command -a \(name.rawValue) \
      -d \(quoted(name.row.summary))
      """
    }
    let options = Setting.all.filter { $0.places.contains(.commandLine) }.map(line)
    let operands = CommandName.allCases.compactMap(operandLine)
    return """
      # Completions of sonde for fish: source this file, or save it as
      # ~/.config/fish/completions/sonde.fish

      # The command on the line, if any: the first word that is neither option nor value.
      function __sonde_command
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
              return
          end
        end
        return 1
      end

      function __sonde_lacks_command
        not __sonde_command > /dev/null
      end

      function __sonde_has_command
        contains -- (__sonde_command) $argv
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

  private static func operandLine(_ name: CommandName) -> String? {
    let words = "complete -c sonde -n '__sonde_has_command \(name.rawValue)' "
    return switch name.row.operands.completion {
    case .nothing: nil
    case .files: words + "-F"
    case .words(let operands), .list(let operands):
      words + "-a '\(operands.joined(separator: " "))'"
    }
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.reduce(into: "") { result, character in
      if "'\\".contains(character) { result.append("\\") }
      result.append(character)
    }
    return "'\(escaped)'"
  }
}
