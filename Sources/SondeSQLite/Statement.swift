import CSondeSQLite

/// A prepared statement.
@safe
public final class Statement {
  /// What a column holds (https://www.sqlite.org/datatype3.html, 2).
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

  /// Frees the statement; its database does this before it is closed.
  func finalize() { unsafe sqlite3_finalize(handle) }

  /// Sets a parameter, the first one being 1.
  public func bind(_ index: Int32, _ number: Int64) {
    unsafe sqlite3_bind_int64(handle, index, number)
  }

  /// Sets a parameter to a number, the first one being 1.
  public func bind(_ index: Int32, real number: Double) {
    unsafe sqlite3_bind_double(handle, index, number)
  }

  /// Sets a parameter to no value, the first one being 1.
  public func bindNothing(_ index: Int32) { unsafe sqlite3_bind_null(handle, index) }

  /// Sets a parameter to a text, the first one being 1.
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

  /// Sets a parameter, the first one being 1.
  public func bind(_ index: Int32, _ text: String) {
    var text = text
    text.withUTF8 { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { text in
        unsafe _ = sonde_sqlite_bind_text(handle, index, text.baseAddress, Int32(text.count))
      }
    }
  }

  /// Sets a parameter to bytes, the first one being 1.
  public func bind(_ index: Int32, _ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBytes { buffer in
      unsafe _ = sonde_sqlite_bind_bytes(handle, index, buffer.baseAddress, Int32(buffer.count))
    }
  }

  /// Moves to the next row.
  ///
  /// - Returns: Whether there is one.
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

  /// Runs a statement that finds nothing.
  public func run() throws(SQLiteError) {
    _ = try step()
    reset()
  }

  /// Runs a statement that finds nothing, with bytes as one of its parameters.
  public func run(_ index: Int32, _ bytes: Span<UInt8>) throws(SQLiteError) {
    try unsafe bytes.withUnsafeBytes { buffer throws(SQLiteError) in
      unsafe sonde_sqlite_bind_blob(handle, index, buffer.baseAddress, Int32(buffer.count))
      defer { unsafe sqlite3_bind_null(handle, index) }
      try run()
    }
  }

  /// Ends a query; its row can no longer be read.
  public func reset() { unsafe sqlite3_reset(handle) }

  /// A number of the present row, the first column being 0; what is no number is 0.
  public func number(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  /// The same, but `nil` where there is no integer.
  public func optionalNumber(_ column: Int32) -> Int64? {
    unsafe sqlite3_column_type(handle, column) == SQLITE_INTEGER ? number(column) : nil
  }

  /// A text of the present row, made valid UTF-8.
  public func text(_ column: Int32) -> String {
    guard let bytes = unsafe sqlite3_column_text(handle, column) else { return "" }
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// The type of a column of the present row, the first one being 0.
  public func type(_ column: Int32) -> ValueType {
    switch unsafe sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .bytes
    default: .nothing
    }
  }

  /// A number of the present row, the first column being 0.
  public func real(_ column: Int32) -> Double { unsafe sqlite3_column_double(handle, column) }

  /// Lends the bytes of a text of the present row, as they are; none where there is none.
  public func withText<R>(_ column: Int32, _ body: (Span<UInt8>) -> R) -> R {
    let start = unsafe sqlite3_column_text(handle, column)
    let count = unsafe Int(sqlite3_column_bytes(handle, column))
    let text = unsafe UnsafeBufferPointer(start: start, count: start == nil ? 0 : count)
    return unsafe body(text.span)
  }

  /// Lends the bytes of a column of the present row; none where it holds something else.
  public func withBytes<R>(_ column: Int32, _ body: (Span<UInt8>) -> R) -> R {
    let isBlob = unsafe sqlite3_column_type(handle, column) == SQLITE_BLOB
    let start = isBlob ? unsafe sqlite3_column_blob(handle, column) : nil
    let count = isBlob ? Int(unsafe sqlite3_column_bytes(handle, column)) : 0
    let buffer = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    return unsafe buffer.withMemoryRebound(to: UInt8.self) { unsafe body($0.span) }
  }
}
