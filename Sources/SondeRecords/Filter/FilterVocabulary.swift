import SondeSystem

/// The reason why a file of networks is unusable.
public struct FilterFileError: Error, Sendable {
  /// The error with the file's name, in plain words.
  public let reason: String

  /// Creates an error.
  public init(_ reason: String) { self.reason = reason }
}

/// The names available to a condition.
struct FilterVocabulary {
  private let added: [any ColumnSource]
  private let adding: AddingSources
  private let sources: [String]
  private let missingOption: (String) -> String?
  let moment: (String) -> Int64?
  let networks: (String) throws(FilterFileError) -> any NetworkSet

  /// Creates the vocabulary of a run, with the arguments of ``Filter``.
  init(
    adding added: [any ColumnSource],
    answeredBy sources: [String],
    missingOption: @escaping (String) -> String?,
    moment: @escaping (String) -> Int64?,
    networks: @escaping (String) throws(FilterFileError) -> any NetworkSet
  ) {
    (self.added, adding, self.sources) = (added, AddingSources(added), sources)
    (self.missingOption, self.moment, self.networks) = (missingOption, moment, networks)
  }

  /// A field by its name; `nil` if there is none, for a ``reason(for:)``.
  func operand(named name: String) -> FilterOperand? {
    if let field = Field(name: name) { return FilterOperand(field: field, value: field.row.value) }
    for (source, columns) in added.map(\.columns).enumerated() {
      guard let column = columns.firstIndex(where: { $0.name == name }) else { continue }
      return FilterOperand(
        field: .added(columns[column]),
        value: .added(columns[column].form),
        source: source,
        column: column,
        asked: adding.number(of: source),
        waitsForSystem: adding.waitsForSystem(source),
        isCaptured: adding.isCaptured(source)
      )
    }
    return nil
  }

  /// The reason why there is no field with a name.
  func reason(for name: String) -> String {
    let there = "there is no field '\(escapedForPerson(name))'"
    let columns = added.flatMap(\.columns).map(\.name)
    let names = Field.allCases.map(\.name) + columns
    let option = missingOption(name)
    if let option,
      !columns.contains(where: { $0.hasSuffix("_network") && name.hasPrefix($0.dropLast(7)) })
    {
      return "\(there) without \(option)"
    }
    if let nearest = Field.nearest(to: name, among: names) {
      return "\(there): did you mean '\(escapedForPerson(nearest))'?"
    }
    let own = columns.map { escapedForPerson($0) }.joined(separator: ", ")
    return option == nil
      ? "\(there): sonde scan --fields help lists them" : "\(there): --with adds \(own)"
  }

  /// Why a text cannot be a value of a field; `nil` if it can.
  func check(_ text: String, of operand: FilterOperand) -> String? {
    let known: [String]
    switch operand.value {
    case .status: known = Status.allCases.map(\.name)
    case .source: known = sources.filter { !$0.isEmpty }
    default: return nil
    }
    guard !known.contains(text) else { return nil }
    let words = known.joined(separator: ", ")
    return "\(operand.field.name) is never '\(escapedForPerson(text))', but one of \(words)"
  }
}
