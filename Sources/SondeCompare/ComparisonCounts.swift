/// The counts behind the tables of `--summary`: a pure value, bounded by the number of countries and
/// of whole kilometres.
public struct ComparisonCounts: Sendable, Equatable {
  /// What is counted for a row.
  public struct Row: Sendable, Equatable {
    /// The addresses with a country: a source's, or that of the record.
    public private(set) var addresses = 0
    /// The sum of the agreements, and their number.
    private var agreement = 0.0
    private var agreements = 0
    /// The distances in whole kilometres, by their number.
    private var distances: [Int: Int] = [:]
    /// The addresses whose true country is known, and those of them with it.
    private var truths = 0
    private var right = 0

    /// The mean agreement; `nil` if there is none.
    public var meanAgreement: Double? { agreements == 0 ? nil : agreement / Double(agreements) }

    /// The median distance in kilometres, the mean of the middle two of an even number; `nil` if
    /// there is none.
    public var medianDistance: Double? {
      let count = distances.values.reduce(0, +)
      guard count > 0 else { return nil }
      let middle = [(count - 1) / 2, count / 2]
      var (passed, found): (Int, [Int]) = (0, [])
      for (distance, number) in distances.sorted(by: { $0.key < $1.key }) {
        found += middle.filter { passed..<passed + number ~= $0 }.map { _ in distance }
        passed += number
      }
      return Double(found[0] + found[1]) / 2
    }

    /// The share with the true country of those of which it is known; `nil` if it is of none.
    public var rightShare: Double? { truths == 0 ? nil : Double(right) / Double(truths) }

    fileprivate mutating func count(_ country: String, truth: TruePlace?) {
      addresses += 1
      guard let truth, !truth.countryCode.isEmpty else { return }
      truths += 1
      if truth.countryCode == country { right += 1 }
    }

    fileprivate mutating func add(agreement share: Double) {
      agreement += share
      agreements += 1
    }

    fileprivate mutating func add(distance: Int?) {
      if let distance { distances[distance, default: 0] += 1 }
    }
  }

  /// The row of each source, in order.
  public private(set) var sources: [Row]
  /// The rows of countries, by their codes.
  public private(set) var countries: [String: Row] = [:]
  /// The rows of confidences.
  public private(set) var confidences: [Confidence: Row] = [:]

  /// Whether distances of sources are those to the true places.
  private let hasTruth: Bool

  /// Creates empty counts for a number of sources.
  public init(sources: Int, hasTruth: Bool) {
    self.sources = Array(repeating: Row(), count: sources)
    self.hasTruth = hasTruth
  }

  /// Counts what the sources say of an address, in the order of the sources.
  public mutating func count(_ opinions: [Opinion], truth: TruePlace?) {
    let verdict = JointVerdict(of: opinions)
    for (index, opinion) in opinions.enumerated() {
      sources[index].add(
        distance: hasTruth
          ? opinion.distance(to: truth) : Self.greatestDistance(of: index, among: opinions)
      )
      guard !opinion.countryCode.isEmpty else { continue }
      sources[index].count(opinion.countryCode, truth: truth)
      guard verdict.countryVoices >= 2 else { continue }
      sources[index].add(agreement: opinion.countryCode == verdict.countryCode ? 1 : 0)
    }
    guard let confidence = verdict.confidence, let agreement = verdict.agreement else { return }
    let change = { (row: inout Row) in
      row.count(verdict.countryCode, truth: truth)
      row.add(agreement: agreement)
      row.add(distance: verdict.distance)
    }
    change(&countries[verdict.countryCode, default: Row()])
    change(&confidences[confidence, default: Row()])
  }

  /// The whole kilometres from a source's place to the farthest of another source.
  private static func greatestDistance(of index: Int, among opinions: [Opinion]) -> Int? {
    guard let place = opinions[index].position else { return nil }
    return opinions.enumerated().filter { $0.offset != index }
      .compactMap { $0.element.position.map { place.wholeDistance(to: $0) } }.max()
  }
}
