/// A command with everything that it needs to run.
package struct Invocation: Sendable, Equatable {
  package let command: CommandName
  package let operands: [String]
  package let options: Options
}

/// The request that a command line makes.
package enum CommandRequest: Sendable, Equatable {
  case run(Invocation)
  /// Help for a command; `nil` for the program.
  case help(CommandName?)
  case version
  /// The list of fields: `--fields help`.
  case fieldsHelp
  /// The same as JSON, with the columns of sources: `--fields help --format json`.
  case fieldsDescription(Invocation)

  /// Parses the command line, the environment and the configuration files.
  ///
  /// The command line, given without the program name, takes precedence over the environment, and
  /// that over the files in their order. Help and version are answered despite any other error. No
  /// disk or network is used.
  ///
  /// - Throws: ``UsageError`` for the first error; those of the command line come first.
  package init(
    arguments: [String],
    environment: [String: String],
    configuration: [ConfigurationFile]
  ) throws(UsageError) {
    let walk = ArgumentWalk(arguments)
    if let answer = walk.answer {
      self = answer == .help ? .help(walk.command) : .version
      return
    }
    if let problem = walk.problem { throw problem }
    guard let command = walk.command else { throw UsageError("no command is given") }
    do throws(UsageError) {
      try Self.check(walk.assignments, belongTo: command)
      var assignments = walk.assignments
      let asksForFields = assignments.contains {
        $0.setting.name == "fields" && $0.text == "help"
      }
      if asksForFields {
        guard assignments.last(where: { $0.setting.name == "format" })?.text == "json" else {
          self = .fieldsHelp
          return
        }
        assignments.removeAll { $0.setting.name == "fields" }
      }
      // Help and completions need no settings and work even with invalid ones.
      let options = try Options(
        for: command,
        walk.operands,
        from: assignments,
        environment: command.isAboutItself ? [:] : environment,
        configuration: command.isAboutItself ? [] : configuration
      )
      if !asksForFields { try Self.check(walk.operands, of: command) }
      let invocation = Invocation(command: command, operands: walk.operands, options: options)
      self = asksForFields ? .fieldsDescription(invocation) : .run(invocation)
    } catch {
      var error = error
      error.command = command
      throw error
    }
  }

  private static func check(
    _ assignments: [Assignment],
    belongTo command: CommandName
  ) throws(UsageError) {
    guard let stray = assignments.first(where: { $0.setting.own(of: command) == nil }) else {
      return
    }
    let owners = CommandName.allCases.filter { stray.setting.own(of: $0) != nil }
      .map(\.rawValue).joined(separator: ", ")
    throw UsageError(
      "\(stray.origin) is not an option of \(command.rawValue) (only of \(owners))"
    )
  }

  private static func check(
    _ operands: [String],
    of command: CommandName
  ) throws(UsageError) {
    let row = command.row.operands
    if operands.count < row.minimum {
      var message = "\(command.rawValue) needs \(row.needed)"
      if case .words(let words) = row.completion { message += ": \(alternatives(words))" }
      throw UsageError(message)
    }
    if let maximum = row.maximum, operands.count > maximum {
      throw UsageError("\(command.rawValue) does not take \(quoted(operands[maximum]))")
    }
    guard case .words(let words) = row.completion else { return }
    if let wrong = operands.first, !words.contains(wrong) {
      if command == .help { throw UsageError(unknownCommand: wrong) }
      let expected = "expected \(alternatives(words))"
      throw UsageError("bad value \(quoted(wrong)) for \(command.rawValue): \(expected)")
    }
  }
}

extension Options {
  /// Reads and validates all sources; the first source that gives a setting wins.
  fileprivate init(
    for command: CommandName,
    _ operands: [String],
    from commandLine: [Assignment],
    environment: [String: String],
    configuration: [ConfigurationFile]
  ) throws(UsageError) {
    self.init()
    var settled: Set<String> = []
    for assignment in commandLine {
      settled.insert(assignment.setting.name)
      guard let own = assignment.meant(for: command) else { continue }
      try own.store(in: &self)
      origins[own.setting.name, default: []].append(own.origin)
    }
    do throws(UsageError) {
      try read(Environment.assignments(in: environment), for: command, unless: &settled)
      for file in configuration {
        // This file is read last, when all sources of higher precedence are known.
        if case .forbidden(let reason) = file.contents, !maySend(command, operands) {
          unreadFile = "\(file.path): \(reason)"
          continue
        }
        try read(file.assignments(), for: command, unless: &settled)
      }
    } catch {
      // The usage line of the command would not help here.
      var error = error
      error.isAboutSetup = true
      throw error
    }
  }

  /// Reads a source that all commands share; skips settings that an earlier source has given or
  /// that belong to other commands.
  private mutating func read(
    _ assignments: [Assignment],
    for command: CommandName,
    unless settled: inout Set<String>
  ) throws(UsageError) {
    var given: Set<String> = []
    for assignment in assignments {
      let name = assignment.setting.name
      var options = self
      do throws(UsageError) {
        try (assignment.meant(for: command) ?? assignment).store(in: &options)
      } catch {
        guard assignment.isGoodForAny else { throw error }
        continue
      }
      guard assignment.setting.own(of: command) != nil, !settled.contains(name) else { continue }
      given.insert(name)
      self = options
      origins[name, default: []].append(assignment.origin)
    }
    settled.formUnion(given)
  }
}
