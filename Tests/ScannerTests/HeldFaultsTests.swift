import SondeRecords
import Testing

@testable import SondeInputs

@Suite struct HeldFaultsTests {
  /// An entry whose texts are as long as its number says.
  private static func fault(_ number: Int) -> HeldFaults.Fault {
    var place = Place(line: UInt64(number) + 1, input: UInt32(number % 3))
    if number.isMultiple(of: 2) { place.time = Int64(number) - 5000 }
    place.text = UInt32(number % 7)
    let item = String(repeating: "é", count: number % 130)
    return HeldFaults.Fault(number: number, place: place, item: item, message: "no. \(number)")
  }

  @Test(arguments: [0, 1, 100, 20_000])
  func `invalid entries come back in order, however many there are`(count: Int) throws {
    var faults = HeldFaults()
    // Every other number is an entry with an address.
    for number in 0..<count { faults.append(Self.fault(2 * number)) }
    for number in 0..<2 * count + 2 {
      let found = try faults.remove(number)
      guard number.isMultiple(of: 2), number < 2 * count else {
        #expect(found == nil)
        continue
      }
      let (fault, expected) = (try #require(found), Self.fault(number))
      #expect((fault.item, fault.message) == (expected.item, expected.message))
      #expect((fault.place.line, fault.place.input) == (expected.place.line, expected.place.input))
      #expect((fault.place.time, fault.place.text) == (expected.place.time, expected.place.text))
    }
  }
}
