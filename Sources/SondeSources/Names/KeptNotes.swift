import SondeStore
import Synchronization

/// Texts to be stored, queued on one thread and stored by another in as few transactions as
/// possible.
final class KeptNotes: Sendable {
  private let memory: SourceMemory
  private let scope: String
  private let texts = Mutex<[KeptText]>([])
  private let news: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  init(_ memory: SourceMemory, _ scope: String) {
    (self.memory, self.scope) = (memory, scope)
    (news, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  func append(_ text: KeptText) {
    texts.withLock { $0.append(text) }
    bell.yield()
  }

  func finish() { bell.finish() }

  /// Stores queued texts until the queue ends.
  func keepAll() async {
    for await _ in news { await keep() }
    await keep()
  }

  private func keep() async {
    let noted = texts.withLock { texts in
      defer { texts = [] }
      return texts
    }
    await memory.keep(noted, in: scope)
  }
}
