import SondeAddresses
import SondeInputs

/// Counts the hits in lines, and knows the addresses of the last day: a value without files.
struct LogBook: Sendable {
  /// The most addresses that are counted apart.
  static let mostAddresses = 1_000_000
  /// For how long an answer is not asked for again, in seconds.
  static let longestAnswer: Int64 = 86_400
  private static let noPlace = UInt32.max

  private(set) var numbers: AddressNumbers
  /// By number: the start of the last step of five minutes with a hit, in seconds since 1970 UTC.
  private var seen: [UInt32] = [0]
  /// By number: when it was answered; 0 before.
  private var asked: [UInt32] = [0]
  /// By number: the number of its place.
  private var placeNumbers: [UInt32] = [noPlace]
  private(set) var places: [LogPlace] = []
  private var knownPlaces: [LogPlace: UInt32] = [:]
  /// Numbers to ask about, the first one at `nextQuestion`.
  private var questions: [UInt32] = []
  private var nextQuestion = 0

  var bounds: StepBounds
  private(set) var tally = LogTally()
  private(set) var news = LogNews()
  private var matches: [LogMatch] = []
  /// The steps of the last second, which nearly all lines share.
  private var lastSteps: (second: Int64, now: Int64, steps: [LogStep])?

  init(_ bounds: StepBounds, atMost most: Int = mostAddresses) {
    self.bounds = bounds
    numbers = AddressNumbers(atMost: most)
  }

  // MARK: - Counting

  /// Counts the hits of a line at a time, at a moment; both are in seconds since 1970 UTC.
  ///
  /// One that `isShown` may be one of the latest lines.
  mutating func take(_ line: ArraySlice<UInt8>, at second: Int64, now: Int64, isShown: Bool) {
    tally.countLine()
    matches.removeAll(keepingCapacity: true)
    searchLog(line.span, into: &matches)
    let steps = matches.isEmpty ? [] : steps(of: second, now)
    var marks: [LatestLine.Mark] = []
    for match in matches {
      let start = line.startIndex
      let zone = match.zone.map { Array(line[start + $0.lowerBound..<start + $0.upperBound]) }
      let number =
        steps.isEmpty
        ? AddressNumbers.others : self.number(of: match.address, zone, second, now)
      tally.count(number, in: steps)
      news.count(number)
      if isShown { marks.append(LatestLine.Mark(offset: match.insertion, number: number)) }
    }
    if isShown { news.add(LatestLine(line, marks)) }
  }

  private mutating func steps(of second: Int64, _ now: Int64) -> [LogStep] {
    if let lastSteps, lastSteps.second == second, lastSteps.now == now { return lastSteps.steps }
    let steps = bounds.steps(of: second, at: now)
    lastSteps = (second, now, steps)
    return steps
  }

  private mutating func number(
    of address: Address,
    _ zone: [UInt8]?,
    _ second: Int64,
    _ now: Int64
  ) -> UInt32 {
    let (number, isNew) = numbers.number(of: address, zone)
    guard number != AddressNumbers.others else { return number }
    if isNew {
      grow(to: number)
      (seen[Int(number)], asked[Int(number)]) = (0, 0)
      placeNumbers[Int(number)] = Self.noPlace
      tally.note(new: number)
      questions.append(number)
    } else if asked[Int(number)] > 0, now - Int64(asked[Int(number)]) >= Self.longestAnswer {
      // Once only.
      asked[Int(number)] = UInt32(clamping: now)
      questions.append(number)
    }
    see(number, at: second)
    return number
  }

  private mutating func grow(to number: UInt32) {
    let missing = Int(number) + 1 - seen.count
    guard missing > 0 else { return }
    seen += repeatElement(0, count: missing)
    asked += repeatElement(0, count: missing)
    placeNumbers += repeatElement(Self.noPlace, count: missing)
  }

  private mutating func see(_ number: UInt32, at second: Int64) {
    let step = UInt32(clamping: StepLength.fiveMinutes.start(of: second))
    if step > seen[Int(number)] { seen[Int(number)] = step }
  }

  // MARK: - What was kept

  /// Restores an address.
  mutating func restore(_ kept: LogDatabase.KeptAddress) {
    numbers.give(kept.number, to: kept.address, kept.zone)
    grow(to: kept.number)
    asked[Int(kept.number)] = UInt32(clamping: kept.asked ?? 0)
    placeNumbers[Int(kept.number)] = kept.place ?? Self.noPlace
    if kept.asked == nil { questions.append(kept.number) }
  }

  mutating func restore(_ places: [LogPlace]) {
    self.places = places
    for (number, place) in places.enumerated() { knownPlaces[place] = UInt32(number) }
  }

  /// Notes that a number was hit in a step.
  mutating func restore(_ number: UInt32, seenAt start: Int64) {
    guard number > 0, number < seen.count else { return }
    see(number, at: start)
  }

  /// The numbers of those that were not hit since a moment.
  func unseen(among numbers: Set<UInt32>, since start: Int64) -> [UInt32] {
    numbers.filter { $0 > 0 && $0 < seen.count && seen[Int($0)] < UInt32(clamping: start) }
  }

  /// Gives back what was counted since the last time, and counts on from nothing.
  mutating func takeTally() -> LogTally {
    defer { tally = LogTally() }
    return tally
  }

  mutating func takeNews() -> LogNews {
    defer { news = LogNews(latest: news.lines) }
    return news
  }

  mutating func forget(_ numbers: [UInt32]) { self.numbers.remove(numbers) }

  // MARK: - Answers

  /// The number of addresses that wait for their answers.
  var waiting: Int { questions.count - nextQuestion }

  /// Takes up to so many of the addresses to ask about, the first that were hit.
  mutating func takeQuestions(atMost count: Int) -> [LogQuestion] {
    var taken: [LogQuestion] = []
    while taken.count < count, nextQuestion < questions.count {
      let number = questions[nextQuestion]
      nextQuestion += 1
      guard number <= numbers.last else { continue }
      let (address, zone) = (numbers.address(of: number), numbers.zone(of: number))
      // It may have been forgotten.
      guard numbers.isGiven(number, to: address, zone) else { continue }
      taken.append(LogQuestion(number: number, address: address, zone: zone))
    }
    if nextQuestion == questions.count { (questions, nextQuestion) = ([], 0) }
    return taken
  }

  /// Takes an answer; returns the number of its place, and whether that is new, or `nil` if its
  /// address was forgotten.
  mutating func settle(_ answer: LogAnswer) -> (place: UInt32?, isNew: Bool)? {
    let (number, question) = (answer.number, answer.question)
    guard numbers.isGiven(number, to: question.address, question.zone) else { return nil }
    asked[Int(number)] = UInt32(clamping: answer.asked)
    guard let place = answer.place else {
      placeNumbers[Int(number)] = Self.noPlace
      return (nil, false)
    }
    if let known = knownPlaces[place] {
      placeNumbers[Int(number)] = known
      return (known, false)
    }
    let new = UInt32(places.count)
    places.append(place)
    knownPlaces[place] = new
    placeNumbers[Int(number)] = new
    return (new, true)
  }

  /// The place of an address; `nil` if it is not known.
  func place(of number: UInt32) -> LogPlace? {
    guard number < placeNumbers.count, placeNumbers[Int(number)] != Self.noPlace else { return nil }
    return places[Int(placeNumbers[Int(number)])]
  }
}
