import SondeRecords
import SondeSummary
import SondeSystem

extension Form where Value == SummaryFormat {
  static let summaryFormat = {
    let choice = Form.choice("FORMAT")
    return Form(
      placeholder: choice.placeholder,
      accepted: choice.accepted,
      completion: choice.completion
    ) { text throws(ValueProblem) in
      guard text != "html" else { throw .because("a page is written by --html FILE") }
      return try choice.read(text)
    }
  }()
}

extension Form where Value == TimeBound {
  /// A time in the past.
  static let bound = Form(
    placeholder: "WHEN",
    accepted: "a date (2015-05-17), a time (2015-05-17T10:05:03Z) or how long ago (2h, 7d)"
  ) { text throws(ValueProblem) in
    if let moment = MomentText(text) { return .moment(moment) }
    return .ago(try Form<Duration>.duration.read(text))
  }
}

extension Form where Value == AnswerTime {
  /// `line`, or a time as in RFC 3339; a date means its end in UTC.
  static let asOf = Form(
    placeholder: "T",
    accepted: "a date (2015-05-17), a time (2015-05-17T10:05:03Z) or line",
    completion: .words(["line"])
  ) { text throws(ValueProblem) in
    if text == "line" { return .line }
    let moment = try wellFormed(MomentText(text))
    let isDate = text.utf8.count == 10
    let seconds = (Double(moment.milliseconds(in: .utc)) / 1000).rounded(.down)
    return .moment(Int64(seconds) + (isDate ? 86_399 : 0))
  }
}

extension TimeBound {
  /// Reads a bound in any of its forms; `nil` for any other text.
  package init?(text: String) {
    guard let bound = try? Form<TimeBound>.bound.read(text) else { return nil }
    self = bound
  }
}

extension Form where Value == [String] {
  /// Names of fields, separated by commas; whether they exist is checked once the files are read.
  static let fieldNames = Form(
    placeholder: "LIST",
    accepted: "field names with commas between them",
    completion: .list(Field.allCases.map(\.name))
  ) { text throws(ValueProblem) in
    let names = text.split(separator: ",", omittingEmptySubsequences: false)
      .map { String(trimmed($0)) }
    guard !names.contains("") else { throw .malformed }
    return names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
  }

  /// Names of fields, separated by commas; whether they exist is checked once sources are open.
  static let groupedFields = Form(
    placeholder: "LIST",
    accepted: "field names with commas between them",
    completion: .list(
      Field.allCases.map(\.name).filter { Grouping.refused[$0] == nil }
        + Grouping.Part.times.map(\.name)
    )
  ) { text throws(ValueProblem) in
    var names: [String] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = String(trimmed(item))
      guard !name.isEmpty else { throw .malformed }
      if let reason = Grouping.refused[name] { throw .because(reason) }
      guard !names.contains(name) else { throw .because("\(name) stands there twice") }
      names.append(name)
    }
    return names
  }
}

extension Form where Value == TableList {
  /// Names of tables, separated by commas, or none.
  static let tables = Form(
    placeholder: "LIST",
    accepted: "none, or a list of \(alternatives(words)), with commas between them",
    completion: .list(words + ["none"])
  ) { text throws(ValueProblem) in
    var list = TableList(kinds: [])
    if text == "none" { return list }
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = trimmed(item)
      guard let kind = SummaryTable.Kind(rawValue: String(name)) else {
        throw name.isEmpty ? .malformed : .because("unknown table \(quoted(name))")
      }
      list.kinds.insert(kind)
    }
    return list
  }

  private static var words: [String] { SummaryTable.Kind.allCases.map(\.rawValue) }
}
