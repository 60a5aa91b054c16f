import CSondeSQLite
import Glibc

/// The SQL function `contains(TEXT, VALUE, …)`: whether any value contains a text, ignoring the case
/// of ASCII letters; 1 or 0.
///
/// It matches as `LIKE` with a pattern of `%` at both ends does, but also behind a zero, and many
/// columns at once. The text must be in lower case. Numbers are compared by their digits; NULL
/// contains nothing (https://www.sqlite.org/appfunc.html).
@safe final class TextSearch {
  /// The values of the row, each behind a zero.
  private var joined: UnsafeMutableBufferPointer<UInt8> = .allocate(capacity: 1024)
  private var count = 0

  deinit { unsafe joined.deallocate() }

  /// Whether any of the values contains the text.
  ///
  /// The values are joined first: one search in all of them is faster than many short ones.
  private func finds(
    _ text: UnsafeRawBufferPointer,
    in values: UnsafeMutableBufferPointer<OpaquePointer?>
  ) -> Bool {
    count = 0
    for index in values.indices where unsafe sqlite3_value_type(values[index]) != SQLITE_NULL {
      unsafe append(Self.bytes(of: values[index]))
    }
    guard count > 0 else { return false }
    fold()
    // No text runs over a zero into the next value.
    guard let start = text.baseAddress, unsafe !text.contains(0) else { return unsafe text.isEmpty }
    return unsafe sonde_find_bytes(joined.baseAddress, count, start, text.count) != nil
  }

  /// The bytes of a value.
  ///
  /// `sqlite3_value_text` would copy each text to end it by a zero, which `sqlite3_value_blob` does
  /// not. The length comes first, since asking for it converts numbers to digits.
  private static func bytes(of value: OpaquePointer?) -> UnsafeRawBufferPointer {
    let count = unsafe Int(sqlite3_value_bytes(value))
    return unsafe UnsafeRawBufferPointer(start: sqlite3_value_blob(value), count: count)
  }

  private func append(_ bytes: UnsafeRawBufferPointer) {
    if unsafe count + bytes.count + 1 > joined.count { grow(by: bytes.count + 1) }
    unsafe joined[count] = 0
    if let start = bytes.baseAddress, let target = unsafe joined.baseAddress {
      unsafe memcpy(target + count + 1, start, bytes.count)
    }
    count += 1 + bytes.count
  }

  /// Converts ASCII letters to lower case.
  private func fold() {
    let bytes = unsafe UnsafeMutableBufferPointer(rebasing: joined[..<count])
    for index in bytes.indices {
      let byte = unsafe bytes[index]
      unsafe bytes[index] = byte | (byte &- 65 < 26 ? 0x20 : 0)
    }
  }

  private func grow(by size: Int) {
    let larger = unsafe UnsafeMutableBufferPointer<UInt8>.allocate(
      capacity: 2 * joined.count + size
    )
    _ = unsafe larger.initialize(fromContentsOf: joined[..<count])
    unsafe joined.deallocate()
    unsafe joined = larger
  }

  /// Adds the function to a connection, which releases it at its end.
  ///
  /// - Returns: SQLite's result code.
  static func add(to connection: OpaquePointer) -> Int32 {
    unsafe sqlite3_create_function_v2(
      connection,
      "contains",
      -1,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
      Unmanaged.passRetained(TextSearch()).toOpaque(),
      { context, count, values in
        guard let values = unsafe values, count > 0,
          let search = unsafe sqlite3_user_data(context)
        else { return }
        let own = unsafe Unmanaged<TextSearch>.fromOpaque(search).takeUnretainedValue()
        let all = unsafe UnsafeMutableBufferPointer(start: values, count: Int(count))
        let others = unsafe UnsafeMutableBufferPointer(rebasing: all[1...])
        let isFound = unsafe own.finds(TextSearch.bytes(of: values[0]), in: others)
        unsafe sqlite3_result_int(context, isFound ? 1 : 0)
      },
      nil,
      nil,
      { search in
        guard let search = unsafe search else { return }
        unsafe Unmanaged<TextSearch>.fromOpaque(search).release()
      }
    )
  }
}
