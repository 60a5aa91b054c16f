import CSondeJournal
import Glibc
import SondeSystem

/// The systemd journal of this machine, by libsystemd (sd-journal(3)), which is loaded with the first one.
///
/// A handle is used by one thread at a time.
@safe final class SystemdJournal {
  /// A message.
  struct Message: Sendable {
    let text: [UInt8]
    /// When the journal took it, in milliseconds since 1970 UTC.
    let time: Int64
    /// The name of its unit; `nil` for none.
    let unit: String?
    /// Whether it is of Sonde.
    let isOwn: Bool
  }

  // Never written after loading.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_journal> in
    let library = DynamicLibrary("libsystemd.so.0", package: "libsystemd0")
    return unsafe try library.load(sonde_journal_names(), as: sonde_journal.self)
  }

  /// The types of units; a name without one is that of a service (systemd.unit(5)).
  private static let types = [
    "service", "socket", "device", "mount", "automount", "swap", "target", "path", "timer", "slice",
    "scope",
  ]

  private let functions: sonde_journal
  private let handle: OpaquePointer
  /// Whether the entry that the handle is at was not read.
  private var isAtNew = false

  /// Loads the library.
  ///
  /// - Throws: ``LibraryError``.
  static func load() throws(LibraryError) { _ = unsafe try loaded.get() }

  /// Opens the journal; `units` are those whose messages it has, all if empty.
  ///
  /// - Throws: ``LibraryError``, or ``SystemError`` if the journal cannot be opened.
  init(of units: [String]) throws {
    unsafe functions = try Self.loaded.get().pointee
    var handle: OpaquePointer?
    let code = unsafe functions.sd_journal_open(&handle, SONDE_SD_JOURNAL_LOCAL_ONLY)
    guard code >= 0, let handle = unsafe handle else { throw SystemError(-code) }
    unsafe self.handle = handle
    // By default longer values may be cut.
    _ = unsafe functions.sd_journal_set_data_threshold(handle, TextLines.longest + 64)
    for unit in units { choose(unit) }
  }

  deinit { unsafe functions.sd_journal_close(handle) }

  /// Adds the messages of a unit, and those of systemd about it.
  private func choose(_ unit: String) {
    let isTyped = Self.types.contains { unit.hasSuffix("." + $0) }
    let name = isTyped ? unit : unit + ".service"
    for match in ["_SYSTEMD_UNIT=\(name)", "_PID=1", "UNIT=\(name)"] {
      let bytes = Array(match.utf8)
      _ = unsafe functions.sd_journal_add_match(handle, bytes, bytes.count)
      // The latter two belong together.
      if match != "_PID=1" { _ = unsafe functions.sd_journal_add_disjunction(handle) }
    }
  }

  /// Whether there are files of a journal that may be read.
  var hasFiles: Bool {
    unsafe functions.sd_journal_has_runtime_files(handle) > 0
      || functions.sd_journal_has_persistent_files(handle) > 0
  }

  /// The descriptor that is readable when there is news.
  var descriptor: Int32 { unsafe functions.sd_journal_get_fd(handle) }

  /// Takes the news that made ``descriptor`` readable, such as files that were rotated.
  func process() { _ = unsafe functions.sd_journal_process(handle) }

  // MARK: - Positions

  /// Goes to the first message.
  func seekStart() { _ = unsafe functions.sd_journal_seek_head(handle) }

  /// Goes behind the last message; returns its cursor, or an empty one if there is none.
  func seekEnd() -> String {
    _ = unsafe functions.sd_journal_seek_tail(handle)
    if unsafe functions.sd_journal_previous(handle) > 0, let cursor { return cursor }
    seekStart()
    return ""
  }

  /// Goes behind the message of a cursor; without one, to the first message.
  func seek(behind cursor: String) {
    guard !cursor.isEmpty else { return seekStart() }
    guard unsafe functions.sd_journal_seek_cursor(handle, cursor) >= 0 else { return seekStart() }
    isAtNew = unsafe functions.sd_journal_next(handle) > 0 && !isAt(cursor)
  }

  /// Whether there is the message of a cursor, where all units are chosen.
  func has(_ cursor: String) -> Bool {
    unsafe functions.sd_journal_seek_cursor(handle, cursor) >= 0
      && functions.sd_journal_next(handle) > 0 && isAt(cursor)
  }

  private func isAt(_ cursor: String) -> Bool {
    unsafe functions.sd_journal_test_cursor(handle, cursor) > 0
  }

  /// The cursor of the entry that was read last.
  var cursor: String? {
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe functions.sd_journal_get_cursor(handle, &text) >= 0, let text = unsafe text else {
      return nil
    }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }

  // MARK: - Reading

  /// Goes to the next entry; returns whether there is one.
  func advance() -> Bool {
    defer { isAtNew = false }
    return unsafe isAtNew || functions.sd_journal_next(handle) > 0
  }

  /// The message of the entry; `nil` if it has none.
  var message: Message? {
    guard let text = value(of: "MESSAGE") else { return nil }
    var time: UInt64 = 0
    _ = unsafe functions.sd_journal_get_realtime_usec(handle, &time)
    // What systemd says of a unit has its name elsewhere.
    let unit = value(of: "UNIT") ?? value(of: "_SYSTEMD_UNIT")
    return Message(
      text: text,
      time: Int64(clamping: time / 1000),
      unit: unit.map { String(decoding: $0, as: UTF8.self) },
      isOwn: value(of: "SYSLOG_IDENTIFIER") == Array("sonde".utf8)
    )
  }

  private func value(of field: String) -> [UInt8]? {
    var (data, size): (UnsafeRawPointer?, Int) = (nil, 0)
    guard unsafe functions.sd_journal_get_data(handle, field, &data, &size) >= 0,
      let data = unsafe data, size > field.utf8.count
    else { return nil }
    // Behind the name and `=`.
    return unsafe Array(
      UnsafeRawBufferPointer(start: data, count: size).dropFirst(field.utf8.count + 1)
    )
  }
}
