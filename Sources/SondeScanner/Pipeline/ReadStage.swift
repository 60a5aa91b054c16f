import SondeAddresses
import SondeAsking
import SondeInputs
import SondeLogs
import SondeRecords

/// What came of one read.
enum ReadResult: Sendable {
  case entries(SortedEntries)
  /// Nothing came within the time given.
  case silence
  /// An input failed; the others go on.
  case failure(InputError)
  /// All inputs are read.
  case end
  case cancelled
}

/// The first stage of a scan: entries come in, and those that are known already are encoded.
struct ReadStage {
  /// Entries that are read at a time, at the most.
  static let blockSize = 4096
  /// Entries that may be under way in all stages, unless a source looks farther ahead; with some 400
  /// bytes each this bounds the memory.
  private static let usualWindow = 65_536

  private let work: Work
  /// How many reads may be under way.
  private let limit: Int
  private let window: UInt64
  private var underWay = 0
  private var isAtEnd = false

  /// The entries read, but duplicates.
  private(set) var entries: UInt64 = 0
  private(set) var duplicates = 0
  private(set) var failures: [InputError] = []

  /// Makes a stage that has read nothing.
  ///
  /// - Parameters:
  ///   - reader: Where the entries come from.
  ///   - chain: Who knows of them; `nil` where nobody is asked.
  ///   - encoder: Encodes what is known.
  ///   - written: Entries whose records an earlier run has written.
  init(
    _ reader: EntryReader,
    _ chain: ProviderChain?,
    _ encoder: ChunkEncoder,
    written: WrittenEntries
  ) {
    work = Work(reader: reader, chain: chain, encoder: encoder, written: written)
    // A batch at hand says how long the next read may wait, so there can be but one; otherwise one
    // waits for the reader while every processor searches, answers and encodes. Sources are asked in
    // the order of the entries, which several reads would mix.
    let isSteady = chain.map { $0.isLocal && $0.sources.isEmpty } ?? true
    limit = isSteady ? min(Processors.available + 1, 16) : 1
    window = UInt64(max(Self.usualWindow, chain?.lookAhead ?? 0))
  }

  /// Whether ``entries`` and ``duplicates`` are all there is.
  var isFinished: Bool { isAtEnd && underWay == 0 }

  /// Whether nothing is being read.
  var isIdle: Bool { underWay == 0 }

  /// Whether to read on.
  ///
  /// - Parameter released: How many entries count no more, as they are as good as written.
  /// - Returns: Whether to.
  func mayRead(released: UInt64) -> Bool {
    underWay < limit && !isAtEnd && entries - min(entries, released) < window
      && !(work.encoder.consumer?.isFull ?? false)
  }

  /// Begins a read.
  ///
  /// - Parameter patience: How long to wait where nothing is there; `nil` is for ever.
  /// - Returns: What is to be done in a task; what it comes to is for ``take(_:)``.
  mutating func begin(patience: Duration?) -> @Sendable () async -> ReadResult {
    underWay += 1
    return { [work] in await work.read(patience: patience) }
  }

  /// Takes in what a read has come to.
  mutating func take(_ result: ReadResult) {
    underWay -= 1
    switch result {
    case .entries(let sorted):
      entries += UInt64(sorted.count)
      duplicates += sorted.duplicates
      failures += sorted.faults
    case .failure(let failure): failures.append(failure)
    case .end: isAtEnd = true
    case .silence, .cancelled: break
    }
  }

  /// What is done in a task.
  private struct Work: Sendable {
    let reader: EntryReader
    let chain: ProviderChain?
    let encoder: ChunkEncoder
    let written: WrittenEntries

    func read(patience: Duration?) async -> ReadResult {
      do {
        switch try await reader.next(limit: ReadStage.blockSize, patience: patience) {
        case .entries(let entries): return .entries(await sort(entries))
        case .silence: return .silence
        case .failure(let failure): return .failure(failure)
        case .end: return .end
        }
      } catch {
        return .cancelled
      }
    }

    private func sort(_ entries: EntryBlock) async -> SortedEntries {
      // What is written is not looked up again.
      let isWritten = written.contains(entries.numbers)
      let excluded = isWritten ? [] : encoder.excluded(of: entries)
      guard !isWritten, let chain else {
        return encoder.sort(entries, known: nil, excluded: excluded, except: written)
      }
      let known = await chain.known(entries.addressesToAsk(except: excluded))
      return encoder.sort(entries, known: known, excluded: excluded, except: written) {
        chain.awaitsMore(of: $0)
      }
    }
  }
}

extension EntryBlock {
  /// The addresses of the entries that a provider is to be asked about.
  ///
  /// - Parameter excluded: For each entry whether it is left out; empty for none.
  /// - Returns: The addresses.
  fileprivate func addressesToAsk(except excluded: [Bool]) -> [Address] {
    guard !excluded.isEmpty else {
      return block.records.compactMap { $0.isQuestion ? $0.address : nil }
    }
    return zip(block.records, excluded).compactMap { $0.isQuestion && !$1 ? $0.address : nil }
  }
}
