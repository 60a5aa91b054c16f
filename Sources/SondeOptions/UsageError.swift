/// Wrong usage or configuration, which ends the program with ``ExitStatus/usage``.
package struct UsageError: Error, Equatable {
  /// One line, without secrets.
  package let message: String

  /// Lines that show the place of the error, printed unchanged.
  package var details: [String] = []

  /// The command whose help to read, once it is known.
  var command: CommandName?

  /// Whether the command line is right and the error is in the configuration or environment.
  package var isAboutSetup = false

  package init(_ message: String, command: CommandName? = nil, isAboutSetup: Bool = false) {
    (self.message, self.command, self.isAboutSetup) = (message, command, isAboutSetup)
  }

  init(unknownCommand word: String) {
    let names = CommandName.allCases.map(\.rawValue)
    self.init("unknown command \(quoted(word))\(suggestion(for: word, among: names))")
  }

  /// The usage line, and where to read more.
  package var advice: String {
    let usage = command.map { "\(Help.usageLine(of: $0))\n" } ?? ""
    return usage + "Try 'sonde \(command.map { $0.rawValue + " " } ?? "")--help'."
  }
}

/// A suffix for a message about an unknown word that names the nearest known one, if any.
func suggestion(for word: some StringProtocol, among known: [String]) -> String {
  nearest(to: word, among: known).map { "; did you mean '\($0)'?" } ?? ""
}

/// The known word that a mistyped or shortened word most likely meant.
///
/// The first known word with this prefix; otherwise the one with the fewest letters wrong, missing,
/// added or swapped, at most one in three.
func nearest(to word: some StringProtocol, among known: [String]) -> String? {
  let letters = Array(word)
  if letters.count >= 2, let longer = known.first(where: { $0.hasPrefix(word) }) { return longer }
  let distances = known.map { (word: $0, distance: distance(letters, Array($0))) }
  guard let best = distances.min(by: { $0.distance < $1.distance }) else { return nil }
  let limit = max(1, min(letters.count, best.word.count) / 3)
  return best.distance <= limit ? best.word : nil
}

/// The optimal string alignment distance: insertions, deletions, substitutions and swaps of
/// neighbours that turn one word into the other.
private func distance(_ first: [Character], _ second: [Character]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...second.count)
  for row in first.indices {
    var current = [row + 1]
    for column in second.indices {
      let isSame = first[row] == second[column]
      var best = min(last[column] + (isSame ? 0 : 1), last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
        best = min(best, beforeLast[column - 1] + 1)
      }
      current.append(best)
    }
    beforeLast = last
    last = current
  }
  return last[second.count]
}
