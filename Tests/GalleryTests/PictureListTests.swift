import Testing
import SondeWeb

@testable import gallery

@Suite struct PictureListTests {
  private func page(_ ids: ClosedRange<Int>, _ next: String?, of origin: String = "a") -> ListPage {
    let entries = ids.map { id -> JSON in ["id": .string("\(id)"), "author": "Ada"] }
    return ListPage(origin: origin, pictures: entries.compactMap { Picture($0) }, next: next)
  }

  @Test func `later pages stay while the first is the same`() {
    var list = PictureList()
    list.begin(page(1...3, "2"))
    list.append(page(4...6, "3"))
    let before = list
    list.begin(page(1...3, "2"))
    #expect(list == before)
    list.begin(page(1...3, "2", of: "b"))
    #expect(list.pictures.count == 3 && list.next == "2" && list.origin == "b")
    list.append(page(4...6, "3", of: "b"))
    list.begin(page(2...4, nil, of: "b"))
    #expect(list.pictures.map(\.id) == ["2", "3", "4"] && list.next == nil)
  }

  @Test func `a page without anything new is the last`() {
    var list = PictureList()
    list.begin(page(1...3, "1"))
    list.append(page(1...3, "1"))
    #expect(list.pictures.count == 3 && list.next == nil)
  }

  @Test func `the list ends somewhere`() {
    var list = PictureList()
    list.begin(page(1...1500, "2"))
    list.append(page(1501...3000, "3"))
    #expect(list.pictures.count == PictureList.most && list.next == nil)
  }

  @Test func `what is kept is read again`() {
    var list = PictureList()
    list.begin(page(1...3, "https://a/2"))
    #expect(PictureList(kept: list.kept) == list)
    #expect(PictureList(kept: Array("[]".utf8)) == nil)
  }

  @Test func `an entry is taken as far as it is one`() {
    let good: [JSON] = [["id": "1"], ["id": 7], ["id": "a-B_9", "width": 0, "height": -1]]
    #expect(good.compactMap { Picture($0) }.map(\.id) == ["1", "7", "a-B_9"])
    let bad: [JSON] = [
      nil, [], [:], ["id": ""], ["id": nil], ["id": "../x"], ["id": "a/b"], ["id": "é"],
      ["id": "a b"],
      ["id": .string(String(repeating: "1", count: 65))], "1", ["id": -1.5],
    ]
    #expect(bad.compactMap { Picture($0) }.map(\.id) == [])
    #expect(Picture(["id": "1", "author": " \n"])?.author == "Unknown")
    let tall = Picture(["id": "1", "width": 1, "height": 99_999])
    #expect(tall?.height == 1200)
  }
}
