public import SondeRecords

/// The distinct combinations of information about addresses, each shared by many.
public struct Profiles: Sendable {
  /// The number of a profile.
  public struct ID: Hashable, Sendable {
    let number: UInt32

    init(number: UInt32) { self.number = number }

    var index: Int { Int(number) }
  }

  /// The information about an address in a summary.
  struct Profile: Sendable, Equatable {
    var status: Status?
    /// The provider that answered; empty, like other texts, if missing.
    var source = ""
    var countryCode = ""
    var country = ""
    var region = ""
    var city = ""
    /// 0 if missing.
    var asn: UInt32 = 0
    var asName = ""
    /// The lowest number at which it occurred, which determines the first profile.
    var order = UInt64.max
    /// The location of the city, from the first answer that has one.
    var place: SummaryTable.Place?
    fileprivate(set) var placeOrder = UInt64.max
    /// The values of ``Profiles/columns`` as a line of TSV; empty without columns.
    var line: [UInt8] = []

    init() {}
  }

  /// All profiles, by number.
  var all: [Profile] = []
  private var numbers: [[UInt8]: ID] = [:]
  /// A reused buffer for the key to find.
  private var wanted: [UInt8] = []
  /// The profiles of answers, by the numbers of questions.
  private var answers: [UInt32] = []
  private static let none = UInt32.max
  /// The number of records that were not answers to questions.
  public private(set) var records: UInt64 = 0

  /// The further fields that distinguish profiles, for groupings.
  let columns: [Field]
  /// Writes their values as TSV.
  private let encoder: RecordEncoder?
  private var line: [UInt8] = []

  /// Creates an empty set of profiles.
  public init() { (columns, encoder) = ([], nil) }

  /// Creates an empty set whose profiles differ in the encoder's columns, too.
  public init(columnsOf encoder: RecordEncoder) {
    columns = encoder.fields
    self.encoder = encoder.fields.isEmpty ? nil : encoder.with(format: .tsv, fields: columns)
  }

  /// The answer to a question; `nil` if there is none yet.
  func answer(to question: Int) -> ID? {
    guard question < answers.count, answers[question] != Self.none else { return nil }
    return ID(number: answers[question])
  }

  /// Adds the answer to a question; the source is empty if no provider answered.
  public mutating func settle(
    _ question: UInt64,
    _ record: Record,
    bytes: Span<UInt8>,
    source: String
  ) {
    // After the records, so that the order does not depend on when an answer arrived.
    let id = note(record, bytes, record.status, source, order: question | 1 << 63)
    let index = Int(question)
    if index >= answers.count {
      answers += repeatElement(Self.none, count: index + 1 - answers.count)
    }
    answers[index] = id.number
  }

  /// The profile of a record; the status is `nil` and the source empty if there is none.
  public mutating func id(
    of record: Record,
    bytes: Span<UInt8>,
    status: Status?,
    source: String
  ) -> ID {
    records += 1
    return note(record, bytes, status, source, order: records)
  }

  private mutating func note(
    _ record: Record,
    _ bytes: Span<UInt8>,
    _ status: Status?,
    _ source: String,
    order: UInt64
  ) -> ID {
    write(record, bytes, status, source)
    let id = numbers[wanted] ?? add(record, bytes, status, source)
    all[id.index].order = min(all[id.index].order, order)
    if order < all[id.index].placeOrder, record.latitude.isFinite, record.longitude.isFinite {
      all[id.index].placeOrder = order
      all[id.index].place = SummaryTable.Place(
        latitude: record.latitude,
        longitude: record.longitude
      )
    }
    return id
  }

  /// The texts that make a profile.
  private static let fields: [TextField] = [.countryCode, .country, .region, .city, .asName]

  /// Writes the key of a profile: its texts with their lengths, and its numbers.
  private mutating func write(
    _ record: Record,
    _ bytes: Span<UInt8>,
    _ status: Status?,
    _ source: String
  ) {
    wanted.removeAll(keepingCapacity: true)
    for field in Self.fields {
      let range = record[field]
      append(range.count)
      let start = Int(range.offset)
      let text = bytes.extracting(start..<start + Int(range.count))
      unsafe text.withUnsafeBufferPointer { unsafe wanted.append(contentsOf: $0) }
    }
    append(record.asn)
    wanted.append(status?.rawValue ?? .max)
    wanted.append(contentsOf: source.utf8)
    guard let encoder else { return }
    line.removeAll(keepingCapacity: true)
    encoder.append(record, bytes: bytes, to: &line)
    wanted.append(0)
    wanted.append(contentsOf: line)
  }

  private mutating func append(_ number: UInt32) {
    for shift: UInt32 in stride(from: 0, to: 32, by: 8) {
      wanted.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  private mutating func add(
    _ record: Record,
    _ bytes: Span<UInt8>,
    _ status: Status?,
    _ source: String
  ) -> ID {
    func text(_ field: TextField) -> String {
      let start = Int(record[field].offset)
      let text = bytes.extracting(start..<start + Int(record[field].count))
      return unsafe text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
    var profile = Profile()
    (profile.status, profile.source, profile.asn) = (status, source, record.asn)
    (profile.countryCode, profile.country) = (text(.countryCode), text(.country))
    (profile.region, profile.city) = (text(.region), text(.city))
    profile.asName = text(.asName)
    profile.line = line
    let id = ID(number: UInt32(truncatingIfNeeded: all.count))
    all.append(profile)
    numbers[wanted] = id
    return id
  }
}

extension Profiles {
  /// For each profile the numbers of its texts in each of ``columns``, and behind them of its source;
  /// and for each column the texts by number, of which the first is that of missing values.
  var numberedTexts: (numbers: [[UInt32]], texts: [[String]]) {
    var texts = [[String]](repeating: [""], count: columns.count + 1)
    var known = [[String: UInt32]](repeating: ["": 0], count: columns.count + 1)
    let numbers = all.map { profile in
      let cells = columns.isEmpty ? [] : Self.cells(of: profile.line)
      return (cells + [profile.source]).enumerated().map { column, text in
        if let number = known[column][text] { return number }
        let number = UInt32(truncatingIfNeeded: texts[column].count)
        texts[column].append(text)
        known[column][text] = number
        return number
      }
    }
    return (numbers, texts)
  }

  /// The texts of a line of TSV.
  private static func cells(of line: [UInt8]) -> [String] {
    line.dropLast().split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
      .map { cell in
        var (text, isEscaped): ([UInt8], Bool) = ([], false)
        for byte in cell {
          if isEscaped {
            text.append(byte.tsvUnescaped)
            isEscaped = false
          } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
          } else {
            text.append(byte)
          }
        }
        return String(decoding: text, as: UTF8.self)
      }
  }
}

extension UInt8 {
  /// The byte that a backslash before this one stands for in TSV.
  fileprivate var tsvUnescaped: UInt8 {
    switch self {
    case UInt8(ascii: "t"): UInt8(ascii: "\t")
    case UInt8(ascii: "n"): UInt8(ascii: "\n")
    case UInt8(ascii: "r"): UInt8(ascii: "\r")
    default: self
    }
  }
}
