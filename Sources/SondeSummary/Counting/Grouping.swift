public import SondeRecords

/// The fields whose distinct combinations a table of a summary counts.
public struct Grouping: Hashable, Sendable {
  /// One of the fields.
  public enum Part: Hashable, Sendable {
    /// The address of a hit.
    case address
    /// A field of the record that answers for the address.
    case answer(Field)
    /// The input in which a hit is.
    case input
    /// The start of the hour of a hit, as `2015-05-17T10:00Z`.
    case hour
    /// The date of a hit, as `2015-05-17`.
    case day
    /// The hour on the clock at a hit, from 0 to 23.
    case hourOfDay
    /// The day of the week of a hit, from `Mon` to `Sun`.
    case weekday

    /// Whether it belongs to the time of a hit.
    var isTime: Bool { [.hour, .day, .hourOfDay, .weekday].contains(self) }

    /// Whether it is known without an answer.
    var isOfOccurrence: Bool { if case .answer = self { false } else { true } }

    /// Whether JSON has its value as it is, without quotes.
    var isPlain: Bool {
      switch self {
      case .answer(let field): [.integer, .number, .boolean].contains(field.type)
      case .hourOfDay: true
      case .address, .input, .hour, .day, .weekday: false
      }
    }

    /// The name of the field.
    public var name: String {
      switch self {
      case .address: Field.ip.name
      case .answer(let field): field.name
      case .input: Field.input.name
      case .hour: "hour"
      case .day: "day"
      case .hourOfDay: "hour_of_day"
      case .weekday: "weekday"
      }
    }

    /// The fields of a hit's time, which no record has.
    public static let times: [Part] = [.hour, .day, .hourOfDay, .weekday]
  }

  /// The fields, in order.
  public let parts: [Part]

  /// Creates a grouping.
  public init(_ parts: [Part]) { self.parts = parts }

  /// The names of the fields, separated by commas.
  public var name: String { parts.map(\.name).joined(separator: ",") }

  /// Whether each row belongs to one address.
  public var hasAddress: Bool { parts.contains(.address) }
}

extension Grouping {
  /// The fields by which nothing can be grouped, with the reason.
  public static let refused: [String: String] = {
    let occurrence = "every hit has its own; group by hour, day, hour_of_day, weekday or input"
    let total = "it is a total, which each row has"
    var reasons = ["time", "text", "line", "offset"].reduce(into: [:]) {
      $0[$1] = "\($1): " + occurrence
    }
    for name in ["hits", "packets", "bytes", "first_seen", "last_seen"] {
      reasons[name] = "\(name): " + total
    }
    return reasons
  }()

  /// Creates a grouping from the names of its fields, of which `answers` knows those of records.
  ///
  /// Throws the first name that no field has.
  public init(_ names: [String], answers: (String) -> Field?) throws(UnknownField) {
    parts = try names.map { name throws(UnknownField) in
      if let time = Part.times.first(where: { $0.name == name }) { return time }
      switch answers(name) {
      case .ip: return .address
      case .input: return .input
      case let field?: return .answer(field)
      case nil: throw UnknownField(name: name)
      }
    }
  }

  /// A name that no field has.
  public struct UnknownField: Error {
    /// The name.
    public let name: String
  }
}

extension [Grouping] {
  /// The fields of answers in any of the groupings, each once, except status and source, which each
  /// profile has.
  package var columns: [Field] {
    var fields: [Field] = []
    for case .answer(let field) in flatMap(\.parts)
    where ![.status, .source].contains(field) && !fields.contains(field) {
      fields.append(field)
    }
    return fields
  }
}
