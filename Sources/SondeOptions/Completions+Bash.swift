/// The completion script for bash 4.4 and later, without dependencies.
enum BashCompletions {
  static var script: String {
    """
    # Completions of sonde for bash: source this file, or save it as
    # ~/.local/share/bash-completion/completions/sonde

    _sonde() {
      local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
      # Bash splits --format=csv at the sign.
      if [[ $current == = ]]; then
        current=
      elif [[ $previous == = ]]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}
      fi
      local command= ended= index
      for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
          --) ended=1; previous= ;;
          \(withValue))
            if [[ ${COMP_WORDS[index+1]} == = ]]; then ((index++)); fi
            ((index++)) ;;
          \(commands))
            if [[ -z $command ]]; then command=${COMP_WORDS[index]}; fi ;;
        esac
      done
      COMPREPLY=()
      case $command:$previous in
    \(values)
      esac
      if [[ $current == -* && -z $ended ]]; then
        case $command in
    \(options)
        esac
        return
      fi
      case $command in
    \(operands)
      esac
    }

    _sonde_words() {
      mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
    }

    # Completes the last of several words with commas between them, also after a +.
    _sonde_list() {
      local word=${current##*,}
      if [[ $word == +* ]]; then word=${word#+}; fi
      mapfile -t COMPREPLY < <(compgen -P "${current%"$word"}" -W "$1" -- "$word")
      compopt -o nospace 2> /dev/null
    }

    _sonde_files() {
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      compopt -o filenames 2> /dev/null
    }

    complete -F _sonde sonde

    """
  }

  private static var valued: [Setting] {
    Setting.all.filter { $0.places.contains(.commandLine) && !$0.isFlag }
  }

  private static var withValue: String {
    Setting.spellingsBeforeValue.joined(separator: "|")
  }

  private static var commands: String {
    CommandName.allCases.map(\.rawValue).joined(separator: "|")
  }

  private static var values: String {
    // Rows for some commands come before the row for all others.
    let common = valued.filter { $0.namesakes.first?.commands == $0.commands }
    let own = valued.filter { $0.namesakes.first?.commands != $0.commands }
    return (own + common).map { setting in
      let commands =
        setting.namesakes.first?.commands == setting.commands
        ? ["*"] : setting.commands.map(\.rawValue)
      let pattern = commands.flatMap { command in setting.spellings.map { "\(command):\($0)" } }
        .joined(separator: "|")
      return "    \(pattern)) \(action(setting.value.completion)); return ;;"
    }.joined(separator: "\n")
  }

  private static var options: String {
    let rows = CommandName.allCases.map { ($0.rawValue, words($0.options)) }
    let general = Setting.all.filter { $0.answer != nil }
    return (rows + [("*", words(general))]).map { pattern, words in
      "      \(pattern)) _sonde_words '\(words)' ;;"
    }.joined(separator: "\n")
  }

  private static func words(_ settings: [Setting]) -> String {
    settings.flatMap(\.spellings).joined(separator: " ")
  }

  private static var operands: String {
    let rows = CommandName.allCases.map { ($0.rawValue, action($0.row.operands.completion)) }
    let names = CommandName.allCases.map(\.rawValue).joined(separator: " ")
    return (rows + [("*", "_sonde_words '\(names)'")]).map { pattern, action in
      "    \(pattern)) \(action) ;;"
    }.joined(separator: "\n")
  }

  private static func action(_ completion: Completion) -> String {
    switch completion {
    case .nothing: ":"
    case .files: "_sonde_files"
    case .words(let words): "_sonde_words '\(words.joined(separator: " "))'"
    case .list(let words): "_sonde_list '\(words.joined(separator: " "))'"
    }
  }
}
