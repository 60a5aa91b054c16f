import SondeSystem

/// The reason why a list of columns is invalid.
public enum FieldListError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A name is empty because the list is, or because of two adjacent commas.
  case missingName
  /// Only some names have a `+`; with all names.
  case mixed(names: [String])
  /// No column has the name; with the nearest one.
  case unknown(name: String, nearest: Field?)
  /// No source adds a column with the name; with the added columns.
  case notAdded(name: String, added: [String])

  /// The error for a name that no column has.
  public static func unknown(_ name: String) -> FieldListError {
    let nearest = Field.nearest(to: name, among: Field.allCases.map(\.name))
    return .unknown(name: name, nearest: nearest.flatMap(Field.init(name:)))
  }

  /// The reason in plain words, with a correction.
  public var description: String {
    switch self {
    case .missingName:
      return "a column name is missing: write NAME,NAME to pick columns, +NAME,+NAME to add some"
    case .mixed(let names):
      let added = names.map { "+" + $0 }.joined(separator: ",")
      return "either every column has a + (\(added) adds to the usual ones) or none has "
        + "(\(names.joined(separator: ",")) picks, in order)"
    case .unknown(let name, let nearest):
      let hint = nearest.map { "did you mean '\($0.name)'?" } ?? "'help' lists them all"
      return "there is no column '\(escapedForPerson(name))': \(hint)"
    case .notAdded(let name, let added):
      let hint =
        added.isEmpty ? "no --with is given" : "--with adds \(added.joined(separator: ", "))"
      return "there is no column '\(escapedForPerson(name))': \(escapedForPerson(hint))"
    }
  }
}

/// The columns requested by `--fields`.
public enum FieldSelection: Equatable, Sendable {
  /// These columns, in this order.
  case picked([Field])
  /// These columns in addition to the default.
  case added([Field])

  /// Parses the value of `--fields`.
  ///
  /// `a,b` selects and orders columns; `+a,+b` adds columns to the default. The first position of a
  /// repeated column counts.
  /// - Parameters:
  ///   - list: The names separated by commas; white space around them is ignored.
  ///   - isAdded: Returns whether a source may add a column with a name; see ``resolved(among:)``.
  /// - Throws: ``FieldListError``.
  public init(
    _ list: String,
    adding isAdded: (String) -> Bool = { _ in false }
  ) throws(FieldListError) {
    var fields: [Field] = []
    var additions = 0
    let items = list.split(separator: ",", omittingEmptySubsequences: false)
    for item in items {
      var name = item.trimmingBlanks
      if name.first == "+" {
        additions += 1
        name = name.dropFirst().trimmingBlanks
      }
      fields.append(try Field.named(name, adding: isAdded))
    }
    guard additions == 0 || additions == items.count else {
      throw .mixed(names: fields.map(\.name))
    }
    self = additions > 0 ? .added(fields) : .picked(fields.withoutRepetition)
  }

  /// The columns requested by name.
  public var named: [Field] {
    switch self {
    case .picked(let fields), .added(let fields): fields
    }
  }

  /// All columns in order, without duplicates; added `columns` are last unless they are selected.
  public func fields(usual: [Field] = Field.standard, with columns: [AddedColumn] = []) -> [Field] {
    switch self {
    case .picked(let fields): return fields
    case .added(let fields):
      let own = fields.filter { !$0.isAdded }
      let others = fields.filter(\.isAdded)
      return (usual + own + columns.map(Field.added) + others).withoutRepetition
    }
  }

  /// A copy with added columns replaced by those that sources add.
  ///
  /// Throws ``FieldListError`` for the name of a column that no source adds.
  public func resolved(among columns: [AddedColumn]) throws(FieldListError) -> FieldSelection {
    let fields = try named.map { field throws(FieldListError) in
      guard case .added(let column) = field else { return field }
      guard let known = columns.first(where: { $0.name == column.name }) else {
        throw .notAdded(name: column.name, added: columns.map(\.name))
      }
      return .added(known)
    }
    if case .picked = self { return .picked(fields) }
    return .added(fields)
  }
}

extension Field {
  fileprivate static func named(
    _ name: Substring,
    adding isAdded: (String) -> Bool
  ) throws(FieldListError) -> Field {
    guard !name.isEmpty else { throw .missingName }
    guard let field = Field(name: name) else {
      if isAdded(String(name)) { return .added(AddedColumn(name: String(name))) }
      throw .unknown(String(name))
    }
    return field
  }

  /// The column name most similar to a word, if it is similar enough.
  static func nearest(to word: String, among names: [String]) -> String? {
    let letters = word.lowercased().filter { $0 != "_" && $0 != "-" }
    let distances = names.map { full in
      let name = full.lowercased().filter { $0 != "_" && $0 != "-" }
      let begins = letters.count >= 3 && name.hasPrefix(letters)
      return (full, begins ? 1 : editDistance(Array(name), Array(letters)))
    }
    guard let best = distances.min(by: { $0.1 < $1.1 }) else { return nil }
    return best.1 <= max(1, letters.count / 3) ? best.0 : nil
  }

  private static func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    var row = Array(0...right.count)
    for (i, letter) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in right.enumerated() {
        let changed = diagonal + (letter == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(changed, row[j] + 1, diagonal + 1)
      }
    }
    return row[right.count]
  }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var text = self
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }
}
