import SondeAddresses
import TestSupport
import Testing

@testable import SondeLive

@Suite struct LogBookTests {
  private let now: Int64 = 1_700_000_100

  private func book(atMost most: Int = 10) -> LogBook { LogBook(StepBounds(at: now), atMost: most) }

  private func take(_ text: String, _ book: inout LogBook, at second: Int64? = nil) {
    book.take(Array(text.utf8)[...], at: second ?? now, now: now, isShown: true)
  }

  @Test func occurrencesAreCountedAsInLogs() {
    var book = book()
    take("8.8.8.8 - 8.8.8.8 via 1.1.1.1 Chrome/120.0.0.0", &book)
    take("nothing here", &book)
    let tally = book.takeTally()
    #expect(tally.lines == 2 && tally.hits == 3)
    #expect(tally.newNumbers == [1, 2])
    let step = LogStep(length: .second, start: now)
    #expect(tally.steps[step]?.hits == [1: 2, 2: 1])
    #expect(book.tally.isEmpty)
  }

  @Test func thoseBeyondTheLimitAreCountedTogether() {
    var book = book(atMost: 2)
    take("1.1.1.1 2.2.2.2 3.3.3.3 4.4.4.4 1.1.1.1", &book)
    #expect(book.tally.steps.values.first?.hits == [1: 2, 2: 1, AddressNumbers.others: 2])
  }

  @Test func whatIsOlderThanADayIsCountedButNotKept() {
    var book = book()
    take("8.8.8.8", &book, at: now - 90_000)
    #expect(book.tally.hits == 1 && book.tally.steps.isEmpty && book.waiting == 0)
  }

  @Test func numbersOfThoseNotSeenAreUsedAgain() {
    var book = book(atMost: 2)
    take("1.1.1.1", &book, at: now - 80_000)
    take("2.2.2.2", &book)
    let gone = book.unseen(among: [1, 2], since: now - 70_000)
    #expect(gone == [1])
    book.forget(gone)
    #expect(book.takeQuestions(atMost: 9).map(\.number) == [2])
    take("3.3.3.3 2.2.2.2", &book)
    #expect(
      book.takeQuestions(atMost: 9) == [
        LogQuestion(number: 1, address: address("3.3.3.3"), zone: nil)
      ]
    )
  }

  @Test func zonesAreApart() {
    var book = book()
    take("fe80::1%eth0 fe80::1%eth1 fe80::1", &book)
    let questions = book.takeQuestions(atMost: 9)
    #expect(questions.map(\.zone) == [Array("eth0".utf8), Array("eth1".utf8), nil])
    book.forget([1])
    take("fe80::1%eth1", &book)
    #expect(book.waiting == 0)
  }

  @Test func placesAreNumberedOnce() {
    var book = book()
    take("1.1.1.1 2.2.2.2", &book)
    let place = LogPlace(latitude: 1, longitude: 2, name: "here")
    let answers = book.takeQuestions(atMost: 9).map {
      LogAnswer($0, asked: now, row: [], words: [], place: place)
    }
    #expect(book.settle(answers[0])?.isNew == true)
    #expect(book.settle(answers[1])?.isNew == false)
    #expect(book.place(of: 2) == place && book.places == [place])
    let stranger = LogQuestion(number: 2, address: address("9.9.9.9"), zone: nil)
    #expect(book.settle(LogAnswer(stranger, asked: now, row: [], words: [], place: nil)) == nil)
  }

  @Test func anAnswerIsAskedForAgainAfterADay() {
    var book = book()
    take("1.1.1.1", &book)
    let question = book.takeQuestions(atMost: 1)[0]
    _ = book.settle(LogAnswer(question, asked: now - 86_400, row: [], words: [], place: nil))
    take("1.1.1.1", &book)
    take("1.1.1.1", &book)
    #expect(book.takeQuestions(atMost: 9) == [question])
  }

  @Test func manyAddressesKeepTheirNumbers() {
    var numbers = AddressNumbers(atMost: 5000)
    for index in 0..<6000 as Range<UInt32> {
      let (number, isNew) = numbers.number(of: Address(ipv4: index), nil)
      #expect(
        number == (index < 5000 ? index + 1 : AddressNumbers.others) && isNew == (index < 5000)
      )
    }
    numbers.remove(Array(1...1000 as ClosedRange<UInt32>))
    #expect(numbers.number(of: Address(ipv4: 4999), nil) == (5000, false))
    #expect(numbers.number(of: Address(ipv4: 0), nil).isNew)
    #expect(numbers.last == 5000)
  }

  @Test func linesAreToldWithTheirWords() {
    let line = "x 8.8.8.8:53 y 1.1.1.1"
    var book = book()
    take(line, &book)
    let told = book.takeNews().newLines.map { $0.text { number in Array("[\(number)]".utf8) } }
    #expect(told.map { String(decoding: $0, as: UTF8.self) } == ["x 8.8.8.8[1]:53 y 1.1.1.1[2]"])
    #expect(book.news.isEmpty && book.news.lines.count == 1)
    for index in 0..<50 { take("\(index)", &book) }
    #expect(book.takeNews().newLines.map(\.bytes).last == Array("49".utf8))
  }
}
