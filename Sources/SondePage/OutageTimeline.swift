import SondeAlerts
import SondeRecords
import SondeSummary
import SondeSystem

/// Appends an image for each endpoint: a row for each day, on which its states are bands.
func appendTimelines(of report: OutageReport, to page: inout [UInt8]) {
  for summary in report.summaries {
    let name = report.summaries.count == 1 ? "Timeline" : "Timeline of \(summary.endpoint)"
    let timeline = OutageTimeline(
      name: name,
      days: days(of: report),
      stretches: report.stretches.filter { $0.endpoint == summary.endpoint }
    )
    if report.summaries.count > 1 {
      page += "<h3>".utf8
      appendMarkupText(summary.endpoint, to: &page)
      page += "</h3>\n".utf8
    }
    timeline.append(to: &page, summary)
  }
}

private func days(of report: OutageReport) -> [OutageTimeline.Day] {
  var days: [OutageTimeline.Day] = []
  var moment = report.span.lowerBound
  while moment < report.span.upperBound, days.count < OutageTimeline.mostDays {
    let day = report.zone.day(at: moment)
    days.append(
      OutageTimeline.Day(date: day.date, range: day.range, span: day.range.clamped(to: report.span))
    )
    moment = day.range.upperBound
  }
  return days
}

/// A picture of the days of a span.
struct OutageTimeline {
  struct Day {
    let date: String
    /// All of the day.
    let range: Range<Int64>
    /// What of it is in the span.
    let span: Range<Int64>
  }

  /// As many days as are kept.
  static let mostDays = 401

  private static let (label, width, row, head) = (110, 1000, 18, 20)

  let name: String
  let days: [Day]
  let stretches: [WatchedStretch]

  func append(to page: inout [UInt8], _ summary: OutageSummary) {
    let (width, height) = (Self.label + Self.width, Self.head + days.count * Self.row)
    // On a phone it scrolls, for which it takes the focus.
    page += "<figure tabindex=\"0\" aria-label=\"Days\">".utf8
    page += "<svg class=\"days\" role=\"img\" aria-label=\"".utf8
    appendMarkupText(name, to: &page)
    page += "\" viewBox=\"0 0 \(width) \(height)\">\n<desc>".utf8
    appendMarkupText(description(summary), to: &page)
    page += "</desc>\n".utf8
    page += Self.pattern.utf8
    for hour in stride(from: 0, through: 24, by: 6) {
      let x = Self.label + Self.width * hour / 24
      let anchor = hour == 24 ? " text-anchor=\"end\"" : hour == 0 ? "" : " text-anchor=\"middle\""
      page += "<text x=\"\(x)\" y=\"13\"\(anchor)>\(hour):00</text>\n".utf8
    }
    var next = stretches[...]
    for (number, day) in days.enumerated() {
      append(day, at: Self.head + number * Self.row, &next, to: &page)
    }
    page += "</svg>\n<figcaption>\(Self.legend)</figcaption></figure>\n".utf8
  }

  private func description(_ summary: OutageSummary) -> String {
    let availability = summary.availabilityForPerson ?? "not watched"
    return "\(count(days.count, "day", "days")) of \(summary.endpoint): "
      + "\(count(summary.outages, "outage", "outages")), availability \(availability)"
  }

  /// Appends a day; the stretches that end within it are done.
  private func append(
    _ day: Day,
    at y: Int,
    _ waiting: inout ArraySlice<WatchedStretch>,
    to page: inout [UInt8]
  ) {
    page += "<text x=\"0\" y=\"\(y + 13)\">\(day.date)</text>\n".utf8
    append(band: day.span, of: day, at: y, "unwatched", "not watched", to: &page)
    for stretch in waiting {
      guard stretch.start < day.span.upperBound else { break }
      let part = (stretch.start..<stretch.end).clamped(to: day.span)
      guard !part.isEmpty else { continue }
      let words =
        stretch.state == .online
        ? "online" : "\(stretch.state.rawValue): \(stretch.cause ?? ""), \(stretch.lengthForPerson)"
      append(band: part, of: day, at: y, stretch.state.rawValue, words, to: &page)
    }
    // They are in order of their starts, and what ended early among them costs little.
    waiting = waiting.drop { $0.end <= day.span.upperBound }
  }

  private func append(
    band: Range<Int64>,
    of day: Day,
    at y: Int,
    _ style: String,
    _ words: String,
    to page: inout [UInt8]
  ) {
    let scale = Double(Self.width) / Double(day.range.upperBound - day.range.lowerBound)
    let x = Double(Self.label) + Double(band.lowerBound - day.range.lowerBound) * scale
    // An outage that is too short to be seen is one pixel wide.
    let least = style == "online" || style == "unwatched" ? 0 : 1.0
    let width = max(least, Double(band.upperBound - band.lowerBound) * scale)
    page += "<rect class=\"\(style)\" x=\"\(hundredths(x))\" y=\"\(y + 2)\" ".utf8
    page += "width=\"\(hundredths(width))\" height=\"\(Self.row - 4)\"><title>".utf8
    appendMarkupText("\(day.date): \(words)", to: &page)
    page += "</title></rect>\n".utf8
  }

  private func hundredths(_ number: Double) -> Double { (number * 100).rounded() / 100 }

  /// What was not watched is hatched.
  private static let pattern = """
    <defs><pattern id="unwatched" width="6" height="6" patternUnits="userSpaceOnUse">\
    <path class="hatch" d="M-1 7 7-1M-4 4 4-4M2 10 10 2"/></pattern></defs>

    """

  private static let legend = {
    let marks = [
      ("online", "online"), ("degraded", "degraded"), ("offline", "offline"),
      ("unwatched", "not watched"),
    ].map { style, words in
      "<span><svg class=\"days\" width=\"18\" height=\"14\" aria-hidden=\"true\">"
        + "<rect class=\"\(style)\" width=\"18\" height=\"14\"/></svg>\(words)</span>"
    }
    return "<span class=\"legend\">" + marks.joined() + "</span>"
  }()
}
