import SondeRecords
import TestSupport
import Testing

@testable import SondeCompare

@Suite struct VerdictTests {
  /// What a source says: `DE`, `DE 52.5 13.4 AS3320`, or a status.
  private func opinion(_ text: String) -> Opinion {
    var opinion = Opinion()
    if let status = Status.allCases.first(where: { $0.name == text }) {
      opinion.status = status
      return opinion
    }
    let words = text.split(separator: " ")
    opinion.countryCode =
      words.first { $0.count == 2 && $0.allSatisfy(\.isLetter) }.map(String.init) ?? ""
    opinion.asn = words.first { $0.hasPrefix("AS") }.flatMap { UInt32($0.dropFirst(2)) } ?? 0
    let numbers = words.compactMap { Double($0) }
    if numbers.count == 2 {
      opinion.position = GeographicPosition(latitude: numbers[0], longitude: numbers[1])
    }
    return opinion
  }

  private func verdict(_ texts: String...) -> JointVerdict {
    JointVerdict(of: texts.map(opinion))
  }

  /// As `DE 0.667 12 0.5 high`, with `-` for nothing.
  private func words(_ verdict: JointVerdict) -> String {
    let country = verdict.countryCode.isEmpty ? "-" : verdict.countryCode
    let numbers = [
      verdict.agreement.map { "\($0.thousandths)" }, verdict.distance.map { "\($0)" },
      verdict.asAgreement.map { "\($0.thousandths)" },
    ]
    return ([country] + numbers.map { $0 ?? "-" } + [verdict.confidence?.rawValue ?? "-"])
      .joined(separator: " ")
  }

  @Test func `votes, ties, distances and confidence`() {
    let table: [([String], String)] = [
      (["DE", "DE"], "DE 1.0 - - high"),
      (["DE", "FR"], "DE 0.5 - - low"),
      (["FR", "DE"], "FR 0.5 - - low"),
      // A tie of the later two: the one that is named first.
      (["US", "FR", "DE", "FR", "DE"], "FR 0.4 - - low"),
      (["US", "DE", "FR"], "US 0.333 - - low"),
      (["DE", "DE", "FR"], "DE 0.667 - - medium"),
      (["DE", "unknown"], "DE 1.0 - - low"),
      (["DE", "DE", "failed"], "DE 1.0 - - high"),
      (["unknown", "failed"], "- - - - -"),
      // All agree, but not upon the place.
      (["DE 52.5 13.4", "DE 48.1 11.6"], "DE 1.0 506 - medium"),
      (["DE 52.5 13.4", "DE 52.6 13.4"], "DE 1.0 11 - high"),
      (["DE 52.5 13.4", "DE"], "DE 1.0 - - high"),
      // Places without a country, and the only place with one.
      (["0 0", "0 90"], "- - 10008 - -"),
      (["DE 0 0", "0 1"], "DE 1.0 111 - low"),
      // Antipodes, also at the poles, and the date line.
      (["US 0 0", "US 0 180"], "US 1.0 20015 - medium"),
      (["US 90 0", "US -90 77"], "US 1.0 20015 - medium"),
      (["US 51.5 -0.1", "US -51.5 179.9"], "US 1.0 20015 - medium"),
      (["FJ -17 179.5", "FJ -17 -179.5"], "FJ 1.0 106 - medium"),
      // The farthest two of three.
      (["DE 0 0", "DE 0 1", "DE 0 3"], "DE 1.0 334 - medium"),
      (["AS3320", "AS3320", "AS15169"], "- - - 0.667 -"),
      (["DE AS1", "DE AS2", "AS2"], "DE 1.0 - 0.667 high"),
    ]
    for (texts, expected) in table {
      #expect(words(JointVerdict(of: texts.map(opinion))) == expected, "\(texts)")
    }
  }

  @Test func `a hundred kilometres are close, one more is not`() {
    let degree = 180 / (Double.pi * GeographicPosition.earthRadius)
    #expect(verdict("DE 0 0", "DE \(100.4 * degree) 0").confidence == .high)
    #expect(verdict("DE 0 0", "DE \(100.6 * degree) 0").confidence == .medium)
  }

  @Test func `the status is ok where a source has answered, else the worst`() {
    let table: [([String], Status)] = [
      (["failed", "DE", "network_lost"], .ok), (["unknown", "failed"], .failed),
      (["failed", "network_lost"], .networkLost), (["unknown", "unknown"], .unknown),
      (["unknown", ""], .ok),
    ]
    for (texts, expected) in table {
      #expect(JointVerdict(of: texts.map(opinion)).status == expected, "\(texts)")
    }
  }

  @Test func `verdicts are those of counting everything, for thousands of seeded opinions`() {
    var random = SeededGenerator(seed: 2026)
    for _ in 0..<5000 {
      let opinions = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        var opinion = Opinion()
        opinion.countryCode = ["", "DE", "FR", "US"].randomElement(using: &random) ?? ""
        opinion.asn = UInt32.random(in: 0...3, using: &random)
        if Bool.random(using: &random) {
          opinion.position = GeographicPosition(
            latitude: Double.random(in: -90...90, using: &random),
            longitude: Double.random(in: -180...180, using: &random)
          )
        }
        return opinion
      }
      let verdict = JointVerdict(of: opinions)
      let (country, share) = reference(opinions.map(\.countryCode).filter { $0 != "" })
      #expect(verdict.countryCode == country ?? "")
      #expect(verdict.agreement == share)
      #expect(verdict.asAgreement == reference(opinions.map(\.asn).filter { $0 > 0 }).share)
      let distance = referenceDistance(opinions.compactMap(\.position))
      #expect(abs(Double(verdict.distance ?? -1) - (distance ?? -1)) <= 0.5 + 1e-6)
    }
  }

  private func reference<Value: Equatable>(_ values: [Value]) -> (choice: Value?, share: Double?) {
    var (best, most): (Value?, Int) = (nil, 0)
    for value in values {
      let count = values.count { $0 == value }
      if count > most { (best, most) = (value, count) }
    }
    return (best, values.isEmpty ? nil : Double(most) / Double(values.count))
  }

  /// By the sides and angles of the triangle with the pole, which is another way.
  private func referenceDistance(_ places: [GeographicPosition]) -> Double? {
    guard places.count > 1 else { return nil }
    return places.flatMap { first in places.map { angle(first, $0) * 6371 } }.max()
  }
}
