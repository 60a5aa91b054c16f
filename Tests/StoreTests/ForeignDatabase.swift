import CSondeSQLite

/// A database as any other program opens it.
@safe
final class ForeignDatabase {
  private var handle: OpaquePointer?

  struct Failure: Error {
    let message: String
  }

  init(_ path: String) throws {
    guard unsafe sqlite3_open(path, &handle) == SQLITE_OK else {
      throw Failure(message: "cannot open \(path)")
    }
    unsafe sqlite3_busy_timeout(handle, 5000)
  }

  deinit { unsafe sqlite3_close(handle) }

  func execute(_ sql: String) throws {
    guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
      throw Failure(message: unsafe String(cString: sqlite3_errmsg(handle)))
    }
  }

  func number(_ sql: String) throws -> Int? {
    Int(try text(sql) ?? "")
  }

  func text(_ sql: String) throws -> String? {
    var statement: OpaquePointer?
    guard unsafe sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw Failure(message: unsafe String(cString: sqlite3_errmsg(handle)))
    }
    defer { unsafe sqlite3_finalize(statement) }
    guard unsafe sqlite3_step(statement) == SQLITE_ROW else { return nil }
    return unsafe sqlite3_column_text(statement, 0).map { unsafe String(cString: $0) }
  }
}
