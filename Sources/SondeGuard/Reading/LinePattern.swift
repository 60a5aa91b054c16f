import CSondePCRE2
import SondeInputs
package import SondeSystem

/// A regular expression whose named groups are captured in lines, by PCRE2 (pcre2api(3)).
///
/// The library is loaded with the first pattern. A compiled pattern is never changed, so all threads
/// may use it.
@safe package final class LinePattern: Sendable {
  /// Why a pattern cannot be used.
  package enum Problem: Error, CustomStringConvertible {
    /// It is none, for this reason, at an offset in bytes.
    case malformed(String, offset: Int)
    /// It has no named group.
    case nameless
    /// The library cannot be loaded.
    case library(LibraryError)

    /// For a person.
    package var description: String {
      switch self {
      case .malformed(let reason, let offset): "\(reason), at byte \(offset)"
      case .nameless: "it has no named group, such as (?<user>\\S+)"
      case .library(let error): "\(error)"
      }
    }
  }

  /// The result of a match.
  enum Match: Equatable {
    /// The values of the groups, in the order of ``names``; empty where one is missing.
    case values([[UInt8]])
    case none
    /// It took too many steps.
    case tooLong
  }

  /// The longest value in bytes.
  private static let longestValue = 1024
  /// The steps of a match at most.
  private static let mostSteps: UInt32 = 100_000

  // Never written after loading.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_pcre2> in
    let library = DynamicLibrary("libpcre2-8.so.0", package: "libpcre2-8-0")
    return unsafe try library.load(sonde_pcre2_names(), as: sonde_pcre2.self)
  }

  /// The names of the groups.
  package let names: [String]
  private let numbers: [Int]
  // Never written after init.
  private nonisolated(unsafe) let library: UnsafePointer<sonde_pcre2>
  private nonisolated(unsafe) let code: OpaquePointer
  private nonisolated(unsafe) let context: OpaquePointer

  /// Compiles a pattern.
  ///
  /// - Throws: ``Problem``.
  package init(_ text: String) throws(Problem) {
    let library: UnsafePointer<sonde_pcre2>
    do throws(LibraryError) {
      unsafe library = try Self.loaded.get()
    } catch {
      throw .library(error)
    }
    let functions = unsafe library.pointee
    let bytes = Array(text.utf8)
    var (error, offset) = (Int32(0), 0)
    let options = UInt32(PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C)
    let compiled = unsafe functions.pcre2_compile_8(
      bytes,
      bytes.count,
      options,
      &error,
      &offset,
      nil
    )
    guard let code = unsafe compiled else {
      var words = [UInt8](repeating: 0, count: 256)
      _ = unsafe functions.pcre2_get_error_message_8(error, &words, words.count)
      let reason = String(decoding: words.prefix { $0 != 0 }, as: UTF8.self)
      throw .malformed(reason, offset: offset)
    }
    guard let context = unsafe functions.pcre2_match_context_create_8(nil) else {
      unsafe functions.pcre2_code_free_8(code)
      throw .malformed("no memory", offset: 0)
    }
    unsafe (self.library, self.code, self.context) = (library, code, context)
    _ = unsafe functions.pcre2_set_match_limit_8(context, Self.mostSteps)
    // Where the machine allows none, matching is slower.
    _ = unsafe functions.pcre2_jit_compile_8(code, UInt32(PCRE2_JIT_COMPLETE))
    (names, numbers) = unsafe Self.groups(of: code, functions)
    guard !names.isEmpty else { throw .nameless }
  }

  deinit {
    unsafe library.pointee.pcre2_match_context_free_8(context)
    unsafe library.pointee.pcre2_code_free_8(code)
  }

  /// The named groups: each entry of the table is a number in two bytes, and a name that ends in zero.
  private static func groups(
    of code: OpaquePointer,
    _ functions: sonde_pcre2
  ) -> ([String], [Int]) {
    var (count, size): (UInt32, UInt32) = (0, 0)
    var table: UnsafePointer<UInt8>?
    _ = unsafe functions.pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMECOUNT), &count)
    _ = unsafe functions.pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMEENTRYSIZE), &size)
    _ = unsafe functions.pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_NAMETABLE), &table)
    guard let table = unsafe table else { return ([], []) }
    var groups: [(name: String, number: Int)] = []
    for entry in 0..<Int(count) {
      let bytes = unsafe UnsafeBufferPointer(start: table + entry * Int(size), count: Int(size))
      let number = unsafe Int(bytes[0]) << 8 | Int(bytes[1])
      let name = unsafe String(decoding: bytes.dropFirst(2).prefix { $0 != 0 }, as: UTF8.self)
      groups.append((name, number))
    }
    groups.sort { $0.number < $1.number }
    return (groups.map(\.name), groups.map(\.number))
  }

  /// Finds the pattern anywhere in a line.
  func match(_ line: Span<UInt8>) -> Match {
    let functions = unsafe library.pointee
    guard let data = unsafe functions.pcre2_match_data_create_from_pattern_8(code, nil) else {
      return .none
    }
    defer { unsafe functions.pcre2_match_data_free_8(data) }
    let result = unsafe line.withUnsafeBufferPointer { bytes in
      unsafe functions.pcre2_match_8(code, bytes.baseAddress, bytes.count, 0, 0, data, context)
    }
    if result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_JIT_STACKLIMIT { return .tooLong }
    guard result > 0, let places = unsafe functions.pcre2_get_ovector_pointer_8(data) else {
      return .none
    }
    return .values(
      numbers.map { number in
        guard number < Int(result) else { return [] }
        let (start, end) = unsafe (places[2 * number], places[2 * number + 1])
        guard start < end, end <= line.count else { return [] }
        let text = line.extracting(start..<end).repaired(maximum: Self.longestValue)
        return Array(text.utf8)
      }
    )
  }
}
