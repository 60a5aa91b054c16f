import Foundation
import Testing

/// Holds the page on the walk of an address to the code that it follows.
@Suite struct WalkTests {
  private struct Step {
    let number: Int
    let function: String
    let file: String
    let isBack: Bool
  }

  private func steps() throws -> [Step] {
    try Tree.text(of: "Sources/SondeScanner/SondeScanner.docc/WalkOfAnAddress.md")
      .matches(of: /(?m)^\| (\d+) \| `(\w+)` \| `([^`]+)`( \(back\))? \|$/)
      .map { row in
        let (number, function, file) = (row.output.1, row.output.2, row.output.3)
        return Step(
          number: try #require(Int(number)),
          function: String(function),
          file: String(file),
          isBack: row.output.4 != nil
        )
      }
  }

  @Test func `every function of the walk is where the page says`() throws {
    let steps = try steps()
    #expect(steps.map(\.number) == Array(1...steps.count))
    for step in steps {
      let pattern = try Regex("(func|var) \(step.function)\\b")
      let text = try Tree.text(of: step.file)
      #expect(text.contains(pattern), "\(step.number) \(step.function) in \(step.file)")
    }
  }

  @Test func `a file that was left before is marked`() throws {
    var (left, current): (Set<String>, String?) = ([], nil)
    for step in try steps() {
      if step.file != current {
        if let current { left.insert(current) }
        current = step.file
        #expect(left.contains(step.file) == step.isBack, "\(step.number) \(step.file)")
      } else {
        #expect(!step.isBack, "\(step.number) \(step.file)")
      }
    }
  }

  @Test func `the walk grows no longer`() throws {
    let steps = try steps()
    #expect(steps.count - 1 <= 60)
    #expect(Set(steps.map(\.file)).count <= 40)
    #expect(steps.count(where: \.isBack) <= 4)
  }
}
