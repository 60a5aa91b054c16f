import SondeAddresses
import SondeProviders
import SondeStore

/// The answers of a web service that are kept, also that it knows nothing.
struct KeptAnswers: Sendable {
  private let memory: SourceMemory
  private let scope: String
  private let lifetime: Duration
  private let count: Int

  /// The answers may come from a mirror.
  init(of service: WebService, mirror: BaseURL?, in memory: SourceMemory) {
    self.memory = memory
    scope = "service \(service.fingerprint) \(mirror?.text ?? "")"
    (lifetime, count) = (service.lifetime, service.columns.count - 1)
  }

  /// The known answers by address.
  func answers(about addresses: [Address]) async -> [Address: ServiceReading.Answer] {
    guard !addresses.isEmpty else { return [:] }
    var known: [Address: ServiceReading.Answer] = [:]
    let texts = await memory.texts(of: addresses.map(\.keptKey), in: scope)
    for (address, text) in zip(addresses, texts) {
      known[address] = text.flatMap { ServiceReading.Answer(kept: $0, columns: count) }
    }
    return known
  }

  /// Keeps an answer; returns when it is on disk, or cannot be.
  func keep(_ answer: ServiceReading.Answer, about address: Address) async {
    guard lifetime > .zero else { return }
    let text = KeptText(key: address.keptKey, text: answer.kept, lifetime: lifetime)
    await memory.keep([text], in: scope)
  }
}

extension ServiceReading.Answer {
  /// The separators of a kept answer; no text has control characters.
  private static let (lineEnd, tab) = (UInt8(ascii: "\n"), UInt8(ascii: "\t"))

  /// The kept form: a line for each column with its texts, or nothing if nothing is known.
  fileprivate var kept: [UInt8] {
    switch self {
    case .unknown: []
    case .found(let values):
      Array(values.map { $0.joined(separator: "\t") + "\n" }.joined().utf8)
    }
  }

  /// Parses the kept form; `nil` if it is damaged.
  fileprivate init?(kept text: [UInt8], columns count: Int) {
    guard !text.isEmpty else {
      self = .unknown
      return
    }
    let lines = text.dropLast().split(separator: Self.lineEnd, omittingEmptySubsequences: false)
    guard text.last == Self.lineEnd, lines.count == count else { return nil }
    self = .found(
      lines.map { line in
        line.split(separator: Self.tab).map { String(decoding: $0, as: UTF8.self) }
      }
    )
  }
}
