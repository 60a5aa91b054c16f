import Testing

@testable import SondeStore

@Suite struct SharedAnswerTests {
  private let answer: [UInt8] = [1, 2, 3]

  @Test func `an answer comes back as it was written`() {
    let bytes = SharedAnswer.bytes(
      answer.span,
      given: 1_700_000_000,
      saved: .seconds(1_700_000_005)
    )
    let read = SharedAnswer.read(bytes)
    #expect(read.map { Array(bytes[$0.range]) } == answer)
    #expect(read?.given == 1_700_000_000 && read?.saved == 1_700_000_005)
  }

  @Test func `one with a time that cannot be is none, though its checksum is right`() {
    for moment: Int64 in [.min, -1, 4_102_444_800, .max] {
      #expect(
        SharedAnswer.read(SharedAnswer.bytes(answer.span, given: moment, saved: .zero)) == nil
      )
      let saved = Duration.seconds(moment)
      #expect(SharedAnswer.read(SharedAnswer.bytes(answer.span, given: 0, saved: saved)) == nil)
    }
  }
}
