import SondeAddresses
import SondeAsking
import SondeInputs
import SondeLogs
import SondeRecords
import SondeStore

enum ReadResult: Sendable {
  case entries(SortedEntries)
  /// Nothing arrived in time.
  case silence
  /// An input failed; the others continue.
  case failure(InputError)
  /// All inputs are read.
  case end
  case cancelled
}

/// The first stage of a scan: reads entries, and encodes those that are already known.
struct ReadStage {
  /// The largest number of entries per read, whose records take less than the memory that malloc
  /// takes from the system and returns each time (`Surroundings.spareMemory`).
  static let blockSize = 3072
  /// The number of entries in all stages, unless a source looks farther ahead; at some 330 bytes
  /// each this limits the memory.
  static let usualWindow = 21 * blockSize

  private let work: Work
  /// The largest number of concurrent reads.
  private let limit: Int
  private let window: UInt64
  private var underWay = 0
  private var isAtEnd = false

  /// The number of entries read, without duplicates.
  private(set) var entries: UInt64 = 0
  private(set) var duplicates = 0
  /// The number of occurrences that the condition excludes without an entry.
  private(set) var excluded = 0
  private(set) var failures: [InputError] = []

  /// Creates a stage that has read nothing; `written` has the entries that an earlier run settled.
  init(
    _ reader: EntryReader,
    _ chain: ProviderChain?,
    _ encoder: ChunkEncoder,
    written: WrittenEntries
  ) {
    work = Work(reader: reader, chain: chain, encoder: encoder, written: written)
    // The current batch limits the wait of the next read, so there can be only one. Otherwise
    // one read waits for the reader while all processors search, answer and encode. Sources are
    // asked in the order of entries, which several reads would mix.
    let isSteady = chain.map { $0.isLocal && $0.sources.isEmpty } ?? true
    limit = isSteady ? min(Processors.available + 1, 16) : 1
    window = UInt64(max(Self.usualWindow, chain?.lookAhead ?? 0))
  }

  /// Whether ``entries`` and ``duplicates`` are final.
  var isFinished: Bool { isAtEnd && underWay == 0 }

  /// Whether no read is running.
  var isIdle: Bool { underWay == 0 }

  /// Whether to read more; released entries, which are as good as written, no longer count.
  func mayRead(released: UInt64) -> Bool {
    underWay < limit && !isAtEnd && entries - min(entries, released) < window
      && !(work.encoder.consumer?.isFull ?? false)
  }

  /// Starts a read, and returns the work for a task, whose result is for ``take(_:)``.
  mutating func begin(patience: Duration?) -> @Sendable () async -> ReadResult {
    underWay += 1
    return { [work] in await work.read(patience: patience) }
  }

  mutating func take(_ result: ReadResult) {
    underWay -= 1
    switch result {
    case .entries(let sorted):
      entries += UInt64(sorted.count)
      duplicates += sorted.duplicates
      excluded += sorted.excluded
      failures += sorted.faults
    case .failure(let failure): failures.append(failure)
    case .end: isAtEnd = true
    case .silence, .cancelled: break
    }
  }

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
      // Written entries are not looked up again.
      let isWritten = written.contains(entries.numbers)
      let excluded = isWritten ? [] : encoder.excluded(of: entries)
      guard !isWritten, let chain else {
        return encoder.sort(entries, known: nil, excluded: excluded, except: written)
      }
      let (addresses, periods) = entries.questions(except: excluded, areDated: chain.isDated)
      var known = await chain.known(addresses, in: periods)
      if entries.areBlocks { known.takeNetworks(of: entries, except: excluded) }
      return encoder.sort(entries, known: known, excluded: excluded, except: written) {
        chain.awaitsMore(of: $0)
      }
    }
  }
}

extension KnownAnswers {
  /// Sets the networks of answers to those of their entries, which are blocks.
  fileprivate mutating func takeNetworks(of entries: EntryBlock, except excluded: [Bool]) {
    let asked = entries.block.records.indices.filter {
      entries.block.records[$0].isQuestion && (excluded.isEmpty || !excluded[$0])
    }
    for (index, position) in positions.enumerated() {
      let network = entries.block.records[asked[position]][.network]
      let start = Int(network.offset)
      let text = entries.block.bytes.span.extracting(start..<start + Int(network.count))
      block.records[index][.network] = block.append(text: text)
    }
  }
}

extension EntryBlock {
  /// The addresses of the entries that require a provider, and the periods if they are needed;
  /// `excluded` is empty if none are.
  fileprivate func questions(
    except excluded: [Bool],
    areDated: Bool
  ) -> ([Address], [BuildPeriod]) {
    var (addresses, periods): ([Address], [BuildPeriod]) = ([], [])
    addresses.reserveCapacity(block.records.count)
    let records = block.records.span
    for index in records.indices
    where records[index].isQuestion && (excluded.isEmpty || !excluded[index]) {
      guard let address = records[index].address else { continue }
      addresses.append(address)
      if areDated { periods.append(records[index].place.period) }
    }
    return (addresses, periods)
  }
}
