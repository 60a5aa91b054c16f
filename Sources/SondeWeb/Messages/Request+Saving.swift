import Glibc
import SondeSystem

extension Request {
  /// Writes the body to a new file that only the user can access, and returns its length.
  ///
  /// The file must not exist; it is removed if that fails or the session ends meanwhile. `observe`
  /// receives each chunk before it is written.
  /// - Throws: ``BodyError``.
  @discardableResult
  public func save(
    to path: String,
    limit: Int,
    observe: @Sendable ([UInt8]) -> Void = { _ in }
  ) async throws(BodyError) -> Int {
    let file = BodyFile(path)
    try await file.open()
    do throws(BodyError) {
      var count = 0
      var chunks = body(limit: limit).makeAsyncIterator()
      while let chunk = try await chunks.next() {
        observe(chunk)
        try await file.append(chunk)
        count += chunk.count
        guard await isAllowed() else { throw BodyError.unauthorized }
      }
      return count
    } catch {
      await file.remove()
      throw error
    }
  }
}

/// The file that receives a body.
private actor BodyFile {
  /// One thread for the disk writes of all bodies.
  private static let executor = BlockingExecutor(label: "bodies")
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe BodyFile.executor.asUnownedSerialExecutor()
  }

  private let path: String
  private var file: Descriptor?

  init(_ path: String) { self.path = path }

  func open() throws(BodyError) {
    do throws(SystemError) {
      file = try Descriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    } catch {
      throw .unwritable(error.code)
    }
  }

  func append(_ chunk: [UInt8]) throws(BodyError) {
    guard case .failed(let error)? = file?.write(chunk, endedBy: nil).obstacle else { return }
    throw .unwritable(error.code)
  }

  func remove() {
    file = nil
    _ = unsafe unlink(path)
  }
}
