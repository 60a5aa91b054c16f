import SondeStore
import Synchronization

/// What is to be kept, noted on one thread and kept by another, in as few transactions as it takes.
final class KeptNotes: Sendable {
  private let memory: SourceMemory
  private let scope: String
  private let texts = Mutex<[KeptText]>([])
  private let news: AsyncStream<Void>
  private let bell: AsyncStream<Void>.Continuation

  /// Notes what is kept in a memory, in a scope of it.
  init(_ memory: SourceMemory, _ scope: String) {
    (self.memory, self.scope) = (memory, scope)
    (news, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Notes a text.
  func append(_ text: KeptText) {
    texts.withLock { $0.append(text) }
    bell.yield()
  }

  /// Says that nothing more will be noted.
  func finish() { bell.finish() }

  /// Keeps what is noted, until nothing more will be.
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
