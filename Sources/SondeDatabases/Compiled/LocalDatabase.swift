import SondeAddresses
import SondeRecords
import Synchronization

/// An open database.
protocol LocalDatabase: Sendable {
  var source: Source { get }

  /// When it was built, in seconds since 1970 UTC.
  var date: Int64 { get }

  /// Creates the record of each address in order: ``Status/ok``; ``Status/unknown`` without
  /// information; ``Status/failed`` for a damaged entry, which is recorded. The texts are appended
  /// to `bytes`.
  func findings(of addresses: [Address], bytes: inout [UInt8], noting damage: DamageLog) -> [Record]

  /// See ``LocalDatabases/answerNumbers(of:)``.
  func answerNumbers(of addresses: [Address]) -> AnswerNumbers?
}

extension LocalDatabase {
  /// `nil`: it is not compiled.
  func answerNumbers(of addresses: [Address]) -> AnswerNumbers? { nil }
}

/// A database whose networks can be enumerated, to compile it.
protocol CompilableDatabase: LocalDatabase {
  /// Passes all networks of the file to the compiler, in ascending order for each family; also
  /// fails if a network cannot be read.
  func walk(
    _ file: borrowing DatabaseFile,
    _ compiler: inout DatabaseCompiler
  ) throws(CompiledDatabaseError)
}

/// Counts the look-ups in a database that met damage, and remembers the first.
final class DamageLog: Sendable {
  private struct State {
    var count = 0
    var first = ""
  }

  private let path: String
  private let state = Mutex(State())

  init(path: String) { self.path = path }

  /// Records that the entry of an address could not be read, and returns a failed record.
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
      state.first = "\(address): \(reason)"
    }
  }

  /// A warning in one line; `nil` without damage.
  var warning: String? {
    state.withLock { state in
      guard state.count > 0 else { return nil }
      return "\(path): the database is damaged: \(state.count) look-up"
        + "\(state.count == 1 ? "" : "s") met a bad entry, the first for \(state.first)"
    }
  }
}

extension Int64 {
  /// Limits a build date claimed by a database file to what RFC 3339 can express.
  init(buildDate seconds: UInt64) { self = Int64(Swift.min(seconds, 253_402_300_799)) }
}
