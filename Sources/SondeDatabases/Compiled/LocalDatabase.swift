import SondeAddresses
import SondeRecords
import Synchronization

/// One opened database.
protocol LocalDatabase: Sendable {
  /// Its kind.
  var source: Source { get }

  /// When it was built, in seconds since 1970 UTC.
  var date: Int64 { get }

  /// Gives each address's record, in order: ``Status/ok``; where it has nothing to say of it,
  /// ``Status/unknown``; where its entry is damaged, which is noted, ``Status/failed``. The texts go to
  /// the end of `bytes`.
  func findings(
    of addresses: [Address],
    bytes: inout [UInt8],
    noting damage: DamageLog
  ) -> [Record]

  /// See ``LocalDatabases/answerNumbers(of:)``.
  func answerNumbers(of addresses: [Address]) -> AnswerNumbers?
}

extension LocalDatabase {
  /// `nil`, as where nothing is compiled.
  func answerNumbers(of addresses: [Address]) -> AnswerNumbers? { nil }
}

/// A database whose networks can all be gone through, to make a table of them.
protocol CompilableDatabase: LocalDatabase {
  /// Hands every network over, those of either family in ascending order.
  ///
  /// - Parameters:
  ///   - file: The file of this database.
  ///   - compiler: What makes a table of them.
  /// - Throws: ``TableError``, also where a network cannot be read.
  func walk(
    _ file: borrowing DatabaseFile,
    _ compiler: inout TableCompiler
  ) throws(TableError)
}

/// Counts the look-ups in a database that met damage, and remembers the first.
final class DamageLog: Sendable {
  private struct State {
    var count = 0
    var first = ""
  }

  private let path: String
  private let state = Mutex(State())

  init(path: String) {
    self.path = path
  }

  /// Notes that the entry for an address could not be read.
  ///
  /// - Returns: The record of the address, which says so.
  func failure(of address: Address, _ reason: String, bytes: inout [UInt8]) -> Record {
    note(address, reason)
    var record = Record(address: address, status: .failed)
    let offset = bytes.count
    bytes += "\(path): the database is damaged: \(reason)".confined.utf8
    record[.message] = TextRange(offset: UInt32(offset), count: UInt32(bytes.count - offset))
    return record
  }

  private func note(_ address: Address, _ reason: String) {
    state.withLock { state in
      state.count += 1
      guard state.count == 1 else { return }
      var text: [UInt8] = []
      address.append(to: &text)
      state.first = "\(String(decoding: text, as: UTF8.self)): \(reason)"
    }
  }

  /// One line for a person; `nil` while all is well.
  var warning: String? {
    state.withLock { state in
      guard state.count > 0 else { return nil }
      return "\(path): the database is damaged: \(state.count) look-up"
        + "\(state.count == 1 ? "" : "s") met a bad entry, the first for \(state.first)"
    }
  }
}

extension Int64 {
  /// A build date as a database file claims it, held within what RFC 3339 can write.
  init(buildDate seconds: UInt64) {
    self = Int64(Swift.min(seconds, 253_402_300_799))
  }
}
