import Glibc
public import SondeInputs
import SondeSystem

/// The properties on which the records depend: options and inputs.
public struct ScanJob: Sendable, Equatable {
  /// An option that affects the records.
  public struct Option: Sendable, Equatable {
    /// Its name, without the dashes.
    public let name: String
    /// Its normalised value; empty if it is not given.
    public let value: String

    /// Creates an option.
    public init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// The identity of an input, independent of its name.
  struct Source: Sendable, Equatable {
    let name: String
    /// The absolute path without symbolic links; empty if it is not a file.
    let path: String
    /// The file's identity, length and time; `nil` if it did not exist.
    let file: File?
  }

  /// The state of a file.
  struct File: Sendable, Equatable {
    let identity: FileIdentity
    let size: UInt64
    let modified: UInt64
  }

  var options: [Option]
  var inputs: [Source]

  /// Describes a scan that is about to start.
  ///
  /// `replace` takes the addresses out of all texts, which are stored.
  public init(
    options: [Option],
    inputs: [Input],
    replacing replace: (String) -> String = { $0 }
  ) {
    self.options = options.map { Option($0.name, replace($0.value)) }
    self.inputs = inputs.map { input in
      let source = Source(input)
      return Source(name: replace(source.name), path: replace(source.path), file: source.file)
    }
  }

  /// The names of the inputs, for records.
  public var inputNames: [String] { inputs.map(\.name) }

  /// The difference to an earlier scan, in plain words; `nil` if there is none.
  func difference(from earlier: ScanJob) -> String? {
    for now in options {
      // An earlier version may not have known it.
      let then = earlier.options.first { $0.name == now.name } ?? Option(now.name, "")
      guard now == then else {
        return "another --\(now.name): it was \(then.words), and is \(now.words)"
      }
    }
    let names = Set(options.map(\.name))
    guard earlier.options.allSatisfy({ names.contains($0.name) }) else { return "other options" }
    for (now, then) in zip(inputs, earlier.inputs) where !now.isSame(as: then) {
      return "another input: it was \(then.name), and is \(now.name)"
    }
    if let missing = earlier.inputs.dropFirst(inputs.count).first {
      return "without the input \(missing.name)"
    }
    return inputs.dropFirst(earlier.inputs.count).first.map { "with the further input \($0.name)" }
  }
}

extension ScanJob.Option {
  fileprivate var words: String { value.isEmpty ? "not given" : "'\(value)'" }
}

extension ScanJob.Source {
  init(_ input: Input) {
    guard case .file(let path) = input else {
      self.init(name: input.name, path: "", file: nil)
      return
    }
    let status = FileStatus(path: path)
    self.init(name: path, path: resolvedPath(path), file: status.map(ScanJob.File.init))
  }

  /// Whether it is the same input, by name or identity; its content is compared elsewhere.
  fileprivate func isSame(as other: Self) -> Bool {
    if path.isEmpty || other.path.isEmpty { return path == other.path && name == other.name }
    return path == other.path || file != nil && file?.identity == other.file?.identity
  }
}

extension ScanJob.File {
  fileprivate init(_ status: FileStatus) {
    self.init(
      identity: status.identity,
      size: UInt64(clamping: status.size),
      modified: status.modified.stamp
    )
  }
}

extension Duration {
  /// A number that identifies a time, and need not be decoded.
  fileprivate var stamp: UInt64 {
    let nanoseconds = components.attoseconds / 1_000_000_000
    return UInt64(bitPattern: components.seconds &* 1_000_000_000 &+ nanoseconds)
  }
}

// MARK: - Encoding

extension ScanJob {
  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.append(UInt64(options.count))
    for option in options {
      writer.append(option.name)
      writer.append(option.value)
    }
    writer.append(UInt64(inputs.count))
    for input in inputs {
      writer.append(input.name)
      writer.append(input.path)
      writer.append(input.file == nil ? 0 : 1)
      let file = input.file
      for word in [
        file?.identity.device, file?.identity.number, file?.size, file?.modified,
      ] { writer.append(word ?? 0) }
    }
    return writer.bytes
  }

  /// Decodes a description; `nil` if it is damaged.
  init?(bytes: [UInt8]) {
    var reader = ByteReader(bytes: bytes)
    (options, inputs) = ([], [])
    for _ in 0..<reader.nextCount() {
      options.append(Option(reader.nextText(), reader.nextText()))
    }
    for _ in 0..<reader.nextCount() {
      let (name, path, isThere) = (reader.nextText(), reader.nextText(), reader.nextWord() == 1)
      let identity = FileIdentity(device: reader.nextWord(), number: reader.nextWord())
      let file = File(identity: identity, size: reader.nextWord(), modified: reader.nextWord())
      inputs.append(Source(name: name, path: path, file: isThere ? file : nil))
    }
    guard reader.isWhole else { return nil }
  }
}

/// Encodes numbers and texts in sequence.
private struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func append(_ word: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
    }
  }

  mutating func append(_ text: String) {
    append(UInt64(text.utf8.count))
    bytes += text.utf8
  }
}

/// Decodes numbers and texts; returns zeros after the last byte.
private struct ByteReader {
  let bytes: [UInt8]
  private var position = 0

  /// Whether no data was missing.
  private(set) var isWhole = true

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func nextWord() -> UInt64 {
    take(8).enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
  }

  /// A count of items, each of at least one byte.
  mutating func nextCount() -> Int {
    let count = nextWord()
    guard count <= UInt64(bytes.count) else {
      isWhole = false
      return 0
    }
    return Int(count)
  }

  mutating func nextText() -> String { String(decoding: take(nextCount()), as: UTF8.self) }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    guard isWhole, count <= bytes.count - position else {
      isWhole = false
      return []
    }
    position += count
    return bytes[position - count..<position]
  }
}
