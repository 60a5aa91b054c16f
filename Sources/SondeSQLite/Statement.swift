import CSondeSQLite

/// A prepared statement.
@safe
public final class Statement {
  /// The type of a column's value (https://www.sqlite.org/datatype3.html, 2).
  public enum ValueType: Sendable {
    /// NULL.
    case nothing
    case integer, real, text, bytes
  }

  private let handle: OpaquePointer
  private let connection: OpaquePointer

  init(_ handle: OpaquePointer, of connection: OpaquePointer) {
    unsafe self.handle = unsafe handle
    unsafe self.connection = unsafe connection
  }

  /// Frees the statement, which its database does before it is closed.
  func finalize() { unsafe sqlite3_finalize(handle) }

  /// Binds an integer to a parameter, counted from 1.
  public func bind(_ index: Int32, _ number: Int64) {
    unsafe sqlite3_bind_int64(handle, index, number)
  }

  /// Binds a floating-point number to a parameter, counted from 1.
  public func bind(_ index: Int32, real number: Double) {
    unsafe sqlite3_bind_double(handle, index, number)
  }

  /// Binds null to a parameter, counted from 1.
  public func bindNothing(_ index: Int32) { unsafe sqlite3_bind_null(handle, index) }

  /// Binds a text to a parameter, counted from 1.
  public func bind(_ index: Int32, text: Span<UInt8>) {
    unsafe text.withUnsafeBytes { buffer in
      unsafe _ = sonde_sqlite_bind_text(
        handle,
        index,
        buffer.assumingMemoryBound(to: CChar.self).baseAddress,
        Int32(clamping: buffer.count)
      )
    }
  }

  /// Binds a text to a parameter, counted from 1.
  public func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { text in
        unsafe _ = sonde_sqlite_bind_text(handle, index, text.baseAddress, Int32(text.count))
      }
    }
  }

  /// Binds bytes to a parameter, counted from 1.
  public func bind(_ index: Int32, _ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { buffer in
      unsafe _ = sonde_sqlite_bind_bytes(handle, index, buffer.baseAddress, Int32(buffer.count))
    }
  }

  /// Moves to the next row; returns whether there is one.
  public func step() throws(SQLiteError) -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    case let code:
      let error = unsafe SQLiteError(code, of: connection)
      unsafe sqlite3_reset(handle)
      throw error
    }
  }

  /// Runs a statement without result rows.
  public func run() throws(SQLiteError) {
    _ = try step()
    reset()
  }

  /// Runs a statement without result rows, with bytes bound to a parameter.
  public func run(_ index: Int32, _ bytes: Span<UInt8>) throws(SQLiteError) {
    try unsafe bytes.withUnsafeBytes { buffer throws(SQLiteError) in
      unsafe sonde_sqlite_bind_blob(handle, index, buffer.baseAddress, Int32(buffer.count))
      defer { unsafe sqlite3_bind_null(handle, index) }
      try run()
    }
  }

  /// Ends a query, whose row can no longer be read.
  public func reset() { unsafe sqlite3_reset(handle) }

  /// An integer in a column of the current row, counted from 0; 0 for other types.
  public func number(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// An integer in a column of the current row, counted from 0; `nil` for other types.
  public func optionalNumber(_ column: Int32) -> Int64? {
    unsafe sqlite3_column_type(handle, column) == SQLITE_INTEGER ? number(column) : nil
  }

  /// A text in a column of the current row, as valid UTF-8.
  public func text(_ column: Int32) -> String {
    guard let bytes = unsafe sqlite3_column_text(handle, column) else { return "" }
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// The type of a column of the current row, counted from 0.
  public func type(_ column: Int32) -> ValueType {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .bytes
    default: .nothing
    }
  }

  /// A floating-point number in a column of the current row, counted from 0.
  public func real(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

  /// Passes the raw bytes of a text in the current row; empty if there is none.
  public func withText<R>(_ column: Int32, _ body: (Span<UInt8>) -> R) -> R {
    let start = unsafe sqlite3_column_text(handle, column)
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    let text = unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
    return unsafe body(text.span)
  }

  /// Passes the bytes in a column of the current row; empty for other types.
  public func withBytes<R>(_ column: Int32, _ body: (Span<UInt8>) -> R) -> R {
    let isBlob = unsafe sqlite3_column_type(handle, column) == SQLITE_BLOB
    let start = isBlob ? unsafe sqlite3_column_blob(handle, column) : nil
    let count = isBlob ? Int(unsafe sqlite3_column_bytes(handle, column)) : 0
    let buffer = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    return unsafe buffer.withMemoryRebound(to: UInt8.self) { unsafe body($0.span) }
  }
}
