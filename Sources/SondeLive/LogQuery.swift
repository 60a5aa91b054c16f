/// Which hits of a log are wanted.
package struct LogQuery: Sendable, Equatable {
  /// How long ago at most.
  package var length: StepLength

  /// A condition as in `--where`, which their records must meet; empty for all.
  package var condition: String

  /// The user whose turn its readers wait for.
  package var user: String

  package init(_ length: StepLength, where condition: String, of user: String) {
    (self.length, self.condition, self.user) = (length, condition, user)
  }
}
