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
      local command= operand= ended= index
      for ((index = 1; index < COMP_CWORD; index++)); do
        case ${COMP_WORDS[index]} in
          --) ended=1; previous= ;;
          \(withValue))
            if [[ ${COMP_WORDS[index+1]} == = ]]; then ((index++)); fi
            ((index++)) ;;
          -?*) ;;
          *)
            if [[ -n $command ]]; then
              operand+=${operand:+ }${COMP_WORDS[index]}
            elif [[ " \(commands) " == *" ${COMP_WORDS[index]} "* ]]; then
              command=${COMP_WORDS[index]}
            fi ;;
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
      case $command:$operand in
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
    CommandName.allCases.map(\.rawValue).joined(separator: " ")
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
    let rows = CommandName.allCases.flatMap { name in
      let operands = name.row.operands
      let following = operands.following.sorted { $0.key < $1.key }
        .map { ("\(name.rawValue):\($0)", Completion.words($1)) }
      return [("\(name.rawValue):\(operands.isWord ? "" : "*")", operands.completion)] + following
    }
    let names = CommandName.allCases.map(\.rawValue)
    return (rows + [(":*", .words(names))]).map { "    \($0)) \(action($1)) ;;" }
      .joined(separator: "\n")
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
