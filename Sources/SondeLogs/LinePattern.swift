import CSondePCRE2
import SondeInputs
import SondeRecords
package import SondeSystem
import Synchronization

/// A regular expression whose named groups are captured in lines, by PCRE2 (pcre2api(3)).
///
/// The library is loaded with the first pattern. A compiled pattern is never changed, so all threads
/// may use it. Clients choose what stands in a log, so each line has a limit of steps.
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

  /// The longest value in bytes.
  private static let longestValue = 1024
  /// The steps of a match at most.
  fileprivate static let mostSteps = 100_000
  /// The longest line in bytes that is matched without counting at first.
  private static let shortLine = 4096

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
  /// The same with a callout at each step.
  private nonisolated(unsafe) let counted: OpaquePointer
  private let overlongLines = Atomic(0)
  private let name: String
  private let say: @Sendable (String) -> Void
  /// Those in use by no thread.
  private let desks = Mutex<[MatchDesk]>([])

  /// Compiles a pattern; `say` reports lines that take too many steps, of the option called `name`.
  ///
  /// - Throws: ``Problem``.
  package init(
    _ text: String,
    named name: String,
    say: @escaping @Sendable (String) -> Void
  ) throws(Problem) {
    let library: UnsafePointer<sonde_pcre2>
    do throws(LibraryError) {
      unsafe library = try Self.loaded.get()
    } catch {
      throw .library(error)
    }
    let functions = unsafe library.pointee
    let code = unsafe try Self.compile(text, 0, functions)
    do throws(Problem) {
      unsafe counted = try Self.compile(text, PCRE2_AUTO_CALLOUT, functions)
    } catch {
      unsafe functions.pcre2_code_free_8(code)
      throw error
    }
    unsafe (self.library, self.code) = (library, code)
    (self.name, self.say) = (name, say)
    (names, numbers) = unsafe Self.groups(of: code, functions)
    guard !names.isEmpty else { throw .nameless }
  }

  private static func compile(
    _ text: String,
    _ options: UInt32,
    _ functions: sonde_pcre2
  ) throws(Problem) -> OpaquePointer {
    let bytes = Array(text.utf8)
    var (error, offset) = (Int32(0), 0)
    let options = UInt32(PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C) | options
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
    // Where the machine allows none, matching is slower.
    _ = unsafe functions.pcre2_jit_compile_8(code, UInt32(PCRE2_JIT_COMPLETE))
    return unsafe code
  }

  deinit {
    let functions = unsafe library.pointee
    for desk in desks.withLock({ $0 }) { desk.free(functions) }
    unsafe functions.pcre2_code_free_8(code)
    unsafe functions.pcre2_code_free_8(counted)
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

  /// The values of the groups, in the order of ``names``, where the pattern is found anywhere in a line;
  /// empty where one is missing.
  package func values(in line: Span<UInt8>) -> [[UInt8]] {
    // Clients choose what stands there. With PCRE2_MATCH_INVALID_UTF nothing is found across bytes that
    // are no UTF-8, and compiled code of 10.42 finds no `\S` that is not ASCII.
    guard (try? UTF8Span(validating: line)) != nil else {
      return values(inText: line.repairedBytes(maximum: line.count).span)
    }
    return values(inText: line)
  }

  private func values(inText line: Span<UInt8>) -> [[UInt8]] {
    let functions = unsafe library.pointee
    guard let desk = desks.withLock({ $0.popLast() }) ?? newDesk() else {
      return none
    }
    defer { desks.withLock { $0.append(desk) } }
    var result = matchShort(line, desk) ?? matchCounted(line, desk, 0)
    // The stack of compiled code is small; without it, memory is taken from the heap.
    if result == PCRE2_ERROR_JIT_STACKLIMIT { result = matchCounted(line, desk, PCRE2_NO_JIT) }
    if result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_CALLOUT {
      if overlongLines.add(1, ordering: .relaxed).oldValue == 0 {
        say("\(name): a line takes more than 100,000 steps, and does not match")
      }
      return none
    }
    guard result > 0, let places = unsafe functions.pcre2_get_ovector_pointer_8(desk.data) else {
      return none
    }
    return numbers.map { number in
      guard number < Int(result) else { return [] }
      let (start, end) = unsafe (places[2 * number], places[2 * number + 1])
      guard start < end, end <= line.count else { return [] }
      return line.extracting(start..<end).repairedBytes(maximum: Self.longestValue)
    }
  }

  /// Reports the number of lines that took too many steps, if any did.
  package func finish() {
    let lines = overlongLines.load(ordering: .relaxed)
    guard lines > 0 else { return }
    say("\(name): \(count(lines, "line takes", "lines take")) too many steps")
  }

  private var none: [[UInt8]] { names.map { _ in [] } }

  private func newDesk() -> MatchDesk? { unsafe MatchDesk(code, library.pointee) }

  /// Matches a short line by PCRE2's own limit, which is one for each place where a match may begin;
  /// `nil` if that does not suffice.
  private func matchShort(_ line: Span<UInt8>, _ desk: MatchDesk) -> Int32? {
    guard line.count <= Self.shortLine else { return nil }
    let limit = UInt32(Self.mostSteps / (line.count + 1))
    _ = unsafe library.pointee.pcre2_set_match_limit_8(desk.context, limit)
    // That of an earlier match counted in memory that is gone; a pattern may have callouts of its own.
    _ = unsafe library.pointee.pcre2_set_callout_8(desk.context, nil, nil)
    let result = unsafe match(line, code, desk, 0)
    return result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_JIT_STACKLIMIT ? nil : result
  }

  /// Matches within the limit of steps, which takes several times as long; returns what PCRE2 does.
  private func matchCounted(_ line: Span<UInt8>, _ desk: MatchDesk, _ options: UInt32) -> Int32 {
    let functions = unsafe library.pointee
    _ = unsafe functions.pcre2_set_match_limit_8(desk.context, UInt32(Self.mostSteps))
    var meter = StepMeter()
    return unsafe withUnsafeMutablePointer(to: &meter) { meter in
      _ = unsafe functions.pcre2_set_callout_8(desk.context, StepMeter.callout, meter)
      return unsafe match(line, counted, desk, options)
    }
  }

  private func match(
    _ line: Span<UInt8>,
    _ code: OpaquePointer,
    _ desk: MatchDesk,
    _ options: UInt32
  ) -> Int32 {
    unsafe line.withUnsafeBufferPointer { bytes in
      unsafe library.pointee.pcre2_match_8(
        code,
        bytes.baseAddress,
        bytes.count,
        0,
        options | UInt32(PCRE2_NO_UTF_CHECK),
        desk.data,
        desk.context
      )
    }
  }
}

/// The memory of PCRE2 for a match (pcre2api(3), "The match data block").
///
/// Unchecked: PCRE2 allows one thread at a time to use it. A ``LinePattern`` is the only owner, and
/// lends each to one match at a time.
@safe private struct MatchDesk: @unchecked Sendable {
  let data: OpaquePointer
  /// The limit of steps and the callout of each match.
  let context: OpaquePointer

  /// Allocates the memory for the groups of a pattern; `nil` without it.
  init?(_ code: OpaquePointer, _ functions: sonde_pcre2) {
    guard let data = unsafe functions.pcre2_match_data_create_from_pattern_8(code, nil) else {
      return nil
    }
    guard let context = unsafe functions.pcre2_match_context_create_8(nil) else {
      unsafe functions.pcre2_match_data_free_8(data)
      return nil
    }
    unsafe (self.data, self.context) = (data, context)
  }

  func free(_ functions: sonde_pcre2) {
    unsafe functions.pcre2_match_data_free_8(data)
    unsafe functions.pcre2_match_context_free_8(context)
  }
}

/// Counts the steps of a match: the items of the pattern that are tried, and the bytes passed over.
private struct StepMeter {
  /// The bytes that count as a step, since an item such as `.*` may pass over a whole line.
  private static let stride = 1024

  private var steps = 0
  private var place = 0

  /// Takes a step; returns whether there may be more.
  private mutating func step(to next: Int) -> Bool {
    steps += 1 + abs(next - place) / Self.stride
    place = next
    return steps <= LinePattern.mostSteps
  }

  /// What PCRE2 calls before each item (pcre2callout(3)).
  static let callout:
    @convention(c) (
      UnsafeMutablePointer<pcre2_callout_block_8>?, UnsafeMutableRawPointer?
    ) -> Int32 = { block, data in
      guard let block = unsafe block, let data = unsafe data else { return 0 }
      let meter = unsafe data.assumingMemoryBound(to: StepMeter.self)
      return unsafe meter.pointee.step(to: block.pointee.current_position) ? 0 : PCRE2_ERROR_CALLOUT
    }
}
