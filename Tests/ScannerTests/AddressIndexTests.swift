import SondeAddresses
import Testing

@testable import SondeAnnotate
@testable import SondeRecords

@Suite struct AddressIndexTests {
  @Test func `it finds what a dictionary finds`() {
    var generator = SystemRandomNumberGenerator()
    var (index, list): (AddressIndex, [DatedAddress]) = (AddressIndex(), [])
    var numbers: [DatedAddress: UInt32] = [:]
    let periods = BuildPeriods(builds: [1, 2])
    for round in 0..<30_000 {
      let number = UInt64.random(in: 0..<9000, using: &generator)
      let bare =
        number % 3 == 0 ? Address(high: number, low: 0) : Address(ipv4: UInt32(number) << 16)
      let address = DatedAddress(bare, in: periods.period(of: Int64.random(in: 0..<3000)))
      let new = UInt32(list.count)
      #expect(index.number(of: address) { list[Int($0)] } == numbers[address])
      let found = index.number(of: address, orAdd: new) { list[Int($0)] }
      #expect(found == numbers[address] ?? new)
      if found == new { list.append(address) }
      numbers[address] = found
      guard round % 10_000 == 9999 else { continue }
      index.removeAll()
      (list, numbers) = ([], [:])
    }
  }

  @Test func `what is known is kept until there is no more room`() {
    var texts = AnswerTexts(room: 4096)
    let text: [UInt8] = [1, 2, 3]
    var count: UInt32 = 0
    while !texts.isFull(for: text.span) {
      texts.insert(DatedAddress(Address(ipv4: count)), EntryOutcome(status: .ok), text.span)
      count += 1
    }
    #expect((20...200).contains(count))
    for number in 0..<count {
      var subjects = SubjectList()
      let subject = Int(subjects.number(of: Address(ipv4: number), zone: .none))
      let entry = texts.entry(of: DatedAddress(Address(ipv4: number)))
      if let entry { texts.settle(subject, of: &subjects, by: entry) }
      #expect(subjects.openCount == 0 && subjects.texts == [1, 2, 3])
    }
    #expect(texts.entry(of: DatedAddress(Address(ipv4: count))) == nil)
  }

  @Test func `an outcome survives as a number`() {
    for status in Status.allCases {
      for source in [nil, Source(number: 0), Source(number: 31)] {
        for isCached in [false, true] {
          var outcome = EntryOutcome(status: status)
          (outcome.source, outcome.isCached) = (source, isCached)
          #expect(EntryOutcome(number: outcome.number) == outcome)
        }
      }
    }
    #expect(EntryOutcome(number: 99) == nil)
  }
}
