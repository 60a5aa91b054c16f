import SondeSystem
import SondeTransfer
import SondeWeb

/// A picture of the list.
struct Picture: Sendable, Equatable {
  /// Letters, digits, `-` and `_`, since it is part of URLs and a file name.
  let id: String
  let author: String
  /// Pixels of the displayed picture.
  let width: Int
  let height: Int

  /// The requested width of pictures in pixels.
  private static let shownWidth = 600

  /// Parses an entry of the list; `nil` if it is not a picture.
  init?(_ entry: JSON) {
    guard let id = entry["id"]?.text ?? entry["id"]?.digits, (1...64).contains(id.utf8.count),
      id.utf8.allSatisfy({ byte in
        Array("-_0123456789".utf8).contains(byte) || (0x41...0x5a).contains(byte & 0xdf)
      })
    else { return nil }
    let author = (entry["author"]?.text ?? "").trimmed.prefix(200)
    let (width, height) = (entry["width"]?.positive ?? 3, entry["height"]?.positive ?? 2)
    self.id = id
    self.author = author.isEmpty ? "Unknown" : String(author)
    self.width = Self.shownWidth
    self.height = min(max(Self.shownWidth * height / width, 200), 1200)
  }

  /// The path below the origin.
  var path: String { "/id/\(id)/\(width)/\(height)" }

  var json: JSON {
    [
      "id": .string(id), "author": .string(author), "width": JSON(width), "height": JSON(height),
    ]
  }
}

/// A page of the list.
struct ListPage: Sendable {
  /// The server that sent it.
  let origin: String
  let pictures: [Picture]
  /// The URL of the next page.
  let next: String?
}

/// The loaded pictures, page by page.
struct PictureList: Sendable, Equatable {
  /// The maximum number of pictures to load.
  static let most = 2000

  /// The server that sent the pictures; `nil` before the first page.
  private(set) var origin: String?
  private(set) var pictures: [Picture] = []
  private(set) var next: String?

  /// Adds the first page; later pages are kept if it is unchanged.
  mutating func begin(_ page: ListPage) {
    guard origin == page.origin, !page.pictures.isEmpty, pictures.count > page.pictures.count,
      pictures.starts(with: page.pictures)
    else {
      self = PictureList()
      origin = page.origin
      return append(page)
    }
  }

  /// Appends a page; one without new pictures is the last.
  mutating func append(_ page: ListPage) {
    var known = Set(pictures.map(\.id))
    let new = page.pictures.filter { known.insert($0.id).inserted }
    pictures = Array((pictures + new).prefix(Self.most))
    next = new.isEmpty || pictures.count == Self.most ? nil : page.next
  }
}

// MARK: - Storage

extension PictureList {
  /// Parses ``kept``.
  init?(kept text: [UInt8]) {
    guard let kept = try? JSON(parsing: text), let entries = kept["pictures"]?.elements else {
      return nil
    }
    pictures = Array(entries.compactMap { Picture($0) }.prefix(Self.most))
    (origin, next) = (kept["origin"]?.text, kept["next"]?.text)
  }

  var kept: [UInt8] {
    let members: JSON = [
      "origin": JSON(origin), "pictures": .array(pictures.map(\.json)), "next": JSON(next),
    ]
    return members.bytes
  }
}

extension JSON {
  fileprivate var positive: Int? {
    guard case .integer(let value) = self, (1...100_000).contains(value) else { return nil }
    return Int(value)
  }
}

extension String {
  var trimmed: Substring {
    var rest = drop(while: \.isWhitespace)
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
