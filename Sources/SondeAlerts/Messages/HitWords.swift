import SondeRecords
import SondeSystem
import SondeWeb

/// The words for an alert of a guard.
struct HitWords {
  /// The delay, in milliseconds, from which on an alert is said to be late.
  private static let longDelay: Int64 = 60_000

  private let alert: Alert

  init(_ alert: Alert) { self.alert = alert }

  private var event: JSON { alert.event }

  private func text(_ name: String) -> String? { event[name]?.text }

  private func time(_ name: String) -> Timestamp? { text(name).flatMap { Timestamp(event: $0) } }

  /// The title, and what follows it.
  var words: (String, String) {
    let name = text("name").map { "\($0): " } ?? ""
    let number = event["count"]?.digits.flatMap { Int($0) } ?? 1
    let title = "\(name)\(count(number, "hit", "hits")) of \(subject)"
    return (title, place + span + new + travel + flood)
  }

  /// The address, or the key if it is another one.
  private var subject: String {
    let key = event["key"]?.members ?? []
    if key.count == 1, key[0].0 == "ip" { return key[0].1.text ?? "" }
    return key.map { "\($0)=\($1.text ?? "")" }.joined(separator: ", ")
  }

  /// Where the address belongs, in brackets.
  private var place: String {
    let system = event["asn"]?.digits.map { "AS\($0)" }
    let network = [system, text("as_name")].compactMap(\.self).joined(separator: " ")
    let parts = [text("country_code") ?? "", network].filter { !$0.isEmpty }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }

  private var span: String {
    guard let last = time("time") else { return "" }
    let first = time("first") ?? last
    let length = Duration.milliseconds(max(0, last.milliseconds - first.milliseconds))
    let delay = alert.at.milliseconds - last.milliseconds
    let late = delay > Self.longDelay ? ", told \(Duration.milliseconds(delay).forPerson) late" : ""
    return " within \(length.forPerson), last \(last.forPerson)\(late)"
  }

  private var new: String {
    guard let before = event["before"]?.elements else { return "" }
    return ", new; before: " + before.map { $0.text ?? "" }.joined(separator: ", ")
  }

  private var travel: String {
    guard let from = event["from"], let way = event["km"]?.digits else { return "" }
    let place = [from["city"]?.text, from["country_code"]?.text].compactMap(\.self)
    let start = place.isEmpty ? from["ip"]?.text ?? "" : place.joined(separator: ", ")
    return ", \(way) km from \(start) at \(event["kmh"]?.digits ?? "") km/h"
  }

  private var flood: String {
    text("event") == "flood" ? "; further alerts of this hour are not delivered" : ""
  }
}
