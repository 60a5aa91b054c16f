import SondeAddresses
import SondeBlock
import SondeInputs
import SondeLogs
import SondeOutputs
import SondeProviders
import SondeRecords
import SondeScanner
import SondeSummary
import Synchronization

/// The hits of addresses for rules, counted from several threads.
final class BlockBook: SliceBook, RecordConsumer {
  private let hits: Mutex<BlockHits>
  private let profiles = Mutex(Profiles())
  private let rules: SummaryRules
  private let judge: HitJudge
  /// Which hits are bad or good may depend on any.
  let needsAllFields = true

  init(_ rules: SummaryRules, _ judge: HitJudge) {
    (self.rules, self.judge) = (rules, judge)
    hits = Mutex(BlockHits(judge))
  }

  var leftOut: LeftOut { hits.withLock(\.leftOut) }
  var sizes: (hits: Int, addresses: Int, asked: Int) { hits.withLock(\.sizes) }
  var records: Int { profiles.withLock { Int(clamping: $0.records) } }

  /// The hits of each address so far, and where addresses belong.
  var settled: (hits: [AddressHits], origin: (Address) -> Profiles.Origin?) {
    let profiles = profiles.withLock { $0 }
    return hits.withLock { $0 }.settled(profiles)
  }

  func count(
    _ slice: CountedSlice,
    behind lines: UInt64,
    ofInput input: UInt32
  ) -> ChosenAddresses {
    hits.withLock { $0.count(slice, behind: lines, input) }
  }

  func remaining() -> LogRun { LogRun(asking: hits.withLock { $0.remaining() }) }

  func count(_ record: Record, of block: RecordBlock, status: Status?, source: String) {
    let bytes = block.bytes.span
    guard rules.admits(record.place.time) else {
      var left = LeftOut()
      left.note(recordAt: record.place.time, since: rules.since)
      return hits.withLock { $0.leave(left) }
    }
    profiles.withLock { profiles in
      let profile = profiles.id(of: record, bytes: bytes, status: status, source: source)
      hits.withLock { $0.count(record, bytes: bytes, as: profile, profiles) }
    }
  }

  func append(_ record: Record, bytes: Span<UInt8>, of question: UInt64, to chunk: inout Chunk) {
    chunk.tally.count(record)
    hits.withLock { $0.settle(Int(question), record, bytes: bytes) }
    profiles.withLock {
      $0.settle(question, record, bytes: bytes, source: record.source?.name ?? "")
    }
  }
}
