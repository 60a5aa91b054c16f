import SondeSystem

extension Form where Value == Duration {
  private static var accepted: String {
    "a number with ms, s, m, h or d, such as 500ms or 1.5h (a bare number is seconds)"
  }

  /// A duration of zero or more.
  static let duration = Form(placeholder: "TIME", accepted: accepted) {
    text throws(ValueProblem) in try readDuration(text)
  }

  /// How long answers are kept.
  static let keptTime = Form(placeholder: "TIME", accepted: accepted) { text throws(ValueProblem) in
    let duration = try readDuration(text)
    guard duration <= .seconds(90 * 86_400) else { throw .because("it is longer than 90d") }
    return duration
  }

  static let positiveDuration = Form(placeholder: "TIME", accepted: accepted) {
    text throws(ValueProblem) in
    let duration = try readDuration(text)
    guard duration > .zero else { throw .because("it must be above zero") }
    return duration
  }
}

extension Form where Value == OfflineTimeout {
  static let offlineTimeout = Form(
    placeholder: Form<Duration>.duration.placeholder,
    accepted: Form<Duration>.duration.accepted + ", or forever",
    completion: .words(["forever"])
  ) { text throws(ValueProblem) in
    text == "forever" ? .forever : .after(try readDuration(text))
  }
}

private func readDuration(_ text: String) throws(ValueProblem) -> Duration {
  do throws(DurationTextError) {
    return try Duration(text: text)
  } catch {
    throw error == .malformed ? .malformed : .because("it is longer than \(Duration.longestText)")
  }
}
