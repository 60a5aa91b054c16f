/// Wrong usage or configuration, which ends the program with ``ExitStatus/usage``.
package struct UsageError: Error, Equatable {
  /// What is wrong, on one line, without secrets.
  package let message: String

  /// What shows the place, in lines that are kept as they are.
  package var details: [String] = []

  /// The command whose help is worth reading, once it is known.
  var command: CommandName?

  /// Whether the command was used rightly and only what it was to work with is wrong.
  package var isAboutSetup = false

  package init(_ message: String, command: CommandName? = nil) {
    self.message = message
    self.command = command
  }

  /// A word that should name a command.
  init(unknownCommand word: String) {
    let names = CommandName.allCases.map(\.rawValue)
    self.init("unknown command \(quoted(word))\(suggestion(for: word, among: names))")
  }

  /// How it is used, and where to read on.
  package var advice: String {
    let usage = command.map { "\(Help.usageLine(of: $0))\n" } ?? ""
    return usage + "Try 'sonde \(command.map { $0.rawValue + " " } ?? "")--help'."
  }
}

/// Ends a message about an unknown word with the known one it is nearest to, if any is near.
func suggestion(for word: some StringProtocol, among known: [String]) -> String {
  nearest(to: word, among: known).map { "; did you mean '\($0)'?" } ?? ""
}

/// The known word that a mistyped or shortened one most likely meant.
///
/// A known word that begins with this one comes first; else the one with the fewest letters that are
/// wrong, missing, added or swapped, at most one in three.
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
