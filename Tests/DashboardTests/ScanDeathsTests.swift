import Testing

@testable import SondeDashboard

@Suite struct ScanDeathsTests {
  /// Whether deaths at these places, one after the other, are the scan's doing.
  private func areCaused(_ places: Int..., after: [ScanLife.Command] = []) -> Bool {
    var deaths = ScanDeaths()
    for place in places {
      deaths.isRunning = true
      deaths.note(at: place)
    }
    for command in after { deaths.take(command) }
    return deaths.areCaused
  }

  @Test func `two deaths in a row at one place are the scan's doing`() {
    #expect(!areCaused())
    #expect(!areCaused(0))
    #expect(areCaused(0, 0))
    #expect(areCaused(7, 7))
    #expect(areCaused(0, 7, 7))
    #expect(!areCaused(0, 7, 0))
    #expect(!areCaused(1, 2, 3, 4))
  }

  @Test func `who resumes allows for no further death there`() {
    #expect(!areCaused(7, 7, after: [.resume]))
    var deaths = ScanDeaths(isRunning: true, count: 2, place: 7)
    deaths.take(.resume)
    deaths.note(at: 7)
    #expect(deaths.areCaused && !deaths.isRunning)
    deaths.take(.resume)
    deaths.note(at: 8)
    #expect(!deaths.areCaused)
    deaths.take(.retry)
    deaths.note(at: 8)
    #expect(!deaths.areCaused)
  }
}
