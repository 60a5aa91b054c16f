/// Why a file of networks cannot be used.
public struct FilterFileError: Error, Sendable {
  /// What is wrong, with the file's name, for a person.
  public let reason: String

  /// Says what is wrong.
  public init(_ reason: String) { self.reason = reason }
}

/// The names that a condition may use.
public struct FilterVocabulary {
  /// Why there is no field of a name.
  struct UnknownName: Error {
    let reason: String
  }

  /// Who adds columns.
  private let added: [any ColumnSource]
  private let adding: AddingSources
  /// The names of those who answer, by the numbers of ``Source``.
  private let sources: [String]
  /// What option a column wants that is not there; `nil` for one that no option adds.
  private let missingOption: (String) -> String?
  /// Opens a file of networks.
  let networks: (String) throws(FilterFileError) -> any NetworkSet

  /// Names what there is.
  ///
  /// - Parameters:
  ///   - added: Who adds columns.
  ///   - sources: The names of those who answer, by the numbers of ``Source``.
  ///   - missingOption: What option a column wants that is not there; `nil` for none.
  ///   - networks: Opens a file of networks.
  public init(
    adding added: [any ColumnSource],
    answeredBy sources: [String],
    missingOption: @escaping (String) -> String?,
    networks: @escaping (String) throws(FilterFileError) -> any NetworkSet
  ) {
    (self.added, adding, self.sources) = (added, AddingSources(added), sources)
    (self.missingOption, self.networks) = (missingOption, networks)
  }

  /// The field of a name.
  func operand(named name: String) throws(UnknownName) -> FilterOperand {
    if let field = Field(name: name) {
      return FilterOperand(field: field, value: field.row.value)
    }
    for (source, columns) in added.map(\.columns).enumerated() {
      guard let column = columns.firstIndex(where: { $0.name == name }) else { continue }
      return FilterOperand(
        field: .added(columns[column]),
        value: .added(columns[column].form),
        source: source,
        column: column,
        asked: adding.number(of: source)
      )
    }
    throw UnknownName(reason: reason(for: name))
  }

  private func reason(for name: String) -> String {
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
    return option == nil ? "\(there): --fields help lists them" : "\(there): --with adds \(own)"
  }

  /// Why a text can never be the value of a field; `nil` where it can.
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
