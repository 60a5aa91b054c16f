import SondeAddresses
package import SondeDatabases
package import SondeRecords
import Synchronization

/// What the answers of databases of several days contribute to a condition.
///
/// An address has an answer in each period, so which of its occurrences is the first to meet the
/// condition depends on several. Memory is bounded by the number of distinct answers.
package final class DatedFindings: Sendable {
  private let filter: Filter
  private let databases: LocalDatabases
  private let state = Mutex(State())

  private struct State {
    var known: [SubjectKey: FilterFindings] = [:]
    /// The few distinct ones, whose memory is shared.
    var distinct: Set<FilterFindings> = []
  }

  package init(_ filter: Filter, _ databases: LocalDatabases) {
    (self.filter, self.databases) = (filter, databases)
  }

  /// Those of addresses in their periods; `nil` for special-purpose addresses, which have no answers.
  ///
  /// Addresses are looked up together, so that few databases are opened again.
  package func findings(of subjects: [SubjectKey]) -> [FilterFindings?] {
    state.withLock { state in
      let new = Set(subjects).filter {
        state.known[$0] == nil && $0.address.specialPurpose == nil
      }
      learn(Array(new), &state)
      return subjects.map { state.known[$0] }
    }
  }

  private func learn(_ subjects: [SubjectKey], _ state: inout State) {
    guard !subjects.isEmpty else { return }
    let answers = databases.answers(to: subjects.map(\.address), in: subjects.map(\.period))
    for (subject, record) in zip(subjects, answers.records) {
      let findings = filter.findings(ofProvided: record, bytes: answers.bytes.span)
      state.known[subject] = state.distinct.insert(findings).memberAfterInsert
    }
  }
}
