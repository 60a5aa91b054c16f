import Glibc
import SondeSystem
import SondeWeb

/// A picture added by a user.
struct SavedPicture: Sendable {
  let id: String
  let author: String
  let url: String

  init(author: String, url: String) {
    id = String(UInt128.random(in: 0 ... .max), radix: 16)
    (self.author, self.url) = (author, url)
  }

  init?(_ kept: JSON) {
    guard let id = kept["id"]?.text, UInt128(id, radix: 16) != nil,
      let author = kept["author"]?.text, let url = kept["url"]?.text
    else { return nil }
    (self.id, self.author, self.url) = (id, author, url)
  }

  var json: JSON { ["id": .string(id), "author": .string(author), "url": .string(url)] }
}

/// The pictures added by each user.
actor SavedPictures {
  /// Per account.
  static let most = 200

  // Its thread also reads and writes files.
  private let executor = BlockingExecutor(label: "gallery.saved")
  private let folder: String
  private var known: [String: [SavedPicture]] = [:]

  init(keptIn folder: String) { self.folder = folder }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// The pictures of an account, the newest first.
  func list(of user: String) throws -> [SavedPicture] {
    if let pictures = known[user] { return pictures }
    var pictures: [SavedPicture] = []
    do throws(SystemError) {
      let kept = try file(user).read(atMost: 4 << 20)
      pictures = ((try? JSON(parsing: kept))?.elements ?? []).compactMap { SavedPicture($0) }
    } catch {
      // No picture has been added yet.
      guard error.code == ENOENT else { throw error }
    }
    known[user] = pictures
    return pictures
  }

  /// Adds a picture.
  ///
  /// - Throws: `Problem` if the account has too many, `SystemError`.
  func add(_ picture: SavedPicture, _ image: ImageFile, to user: String) throws {
    let pictures = try list(of: user)
    guard pictures.count < Self.most else {
      throw Problem.tooLarge("\(Self.most) pictures are saved already")
    }
    try file(user, picture.id).write(image.bytes)
    try keep([picture] + pictures, of: user)
  }

  /// Removes a picture.
  ///
  /// - Throws: `Problem` if it does not exist, `SystemError`.
  func remove(_ id: String, of user: String) throws {
    let pictures = try list(of: user)
    let rest = pictures.filter { $0.id != id }
    guard rest.count < pictures.count else { throw Problem.notFound }
    try keep(rest, of: user)
    try? file(user, id).remove()
  }

  /// The content of a picture.
  ///
  /// - Throws: `Problem` if it does not exist, `SystemError`.
  func image(_ id: String, of user: String) throws -> ImageFile {
    guard try list(of: user).contains(where: { $0.id == id }),
      let image = ImageFile(try file(user, id).read(atMost: PictureSource.largest))
    else { throw Problem.notFound }
    return image
  }

  private func keep(_ pictures: [SavedPicture], of user: String) throws {
    try file(user).write(JSON.array(pictures.map(\.json)).bytes)
    known[user] = pictures
  }

  private func file(_ user: String, _ id: String? = nil) -> WholeFile {
    WholeFile(path: "\(folder)/\(user)" + (id.map { "/\($0)" } ?? ".json"))
  }
}
