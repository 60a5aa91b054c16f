import SondeAddresses
import Glibc
import SondeRecords
import SondeStore
import TestSupport
import SondeSystem

/// The cache: what a scan does with it, in this process, with its file on the disk.
struct StoreBenchmarks {
  private static let batch = 100
  private static let savers = 8
  private static let block = 4096
  private static let scope = AnswerScope(
    provider: "ip-api",
    endpoint: "http://ip-api.com",
    account: "",
    language: "en",
    fields: 0
  )

  private let runs: Int
  private let addresses: [Address]
  private let seed: UInt64

  init(seed: UInt64, count: Int, runs: Int) {
    self.runs = runs
    self.seed = seed
    addresses = Array(DistinctAddresses(seed: seed).prefix(count))
  }

  /// Measures, and says what cannot be said in a table.
  func run(report: (Measurement) -> Void) async throws -> [String] {
    let folder = try ScratchFolder()
    let path = folder.file("cache.db")
    for suffix in ["-wal", "-shm", "-lock"] { _ = folder.file("cache.db" + suffix) }
    let store = Store(path: path) { say("store: \($0)") }
    report(try await saving(to: store))
    report(try await savingToDisk(store))
    await store.close()
    let bytes = await store.statistics()?.bytes ?? 0
    report(try await lookingUp("in list order", addresses, in: store, block: Self.block))
    var generator = SeededGenerator(seed: seed)
    let shuffled = addresses.shuffled(using: &generator)
    report(try await lookingUp("in random order", shuffled, in: store, block: Self.block))
    let sorted = addresses.sorted()
    report(try await lookingUp("in ascending order", sorted, in: store, block: Self.block))
    let few = Array(addresses.prefix(addresses.count / 10))
    report(try await lookingUp("100 at a time", few, in: store, block: Self.batch))
    report(try await lookingUpStrangers(in: store))
    await store.close()
    report(try await opening(path))
    return ["", "\(bytes / addresses.count) bytes on disk for an address."]
  }

  private func saving(to store: Store) async throws -> Measurement {
    let share = addresses.count / Self.savers
    let meter = Meter()
    await withTaskGroup { group in
      for saver in 0..<Self.savers {
        let part = addresses[saver * share..<(saver + 1) * share]
        group.addTask {
          var first = part.startIndex
          while first < part.endIndex {
            let end = min(first + Self.batch, part.endIndex)
            await store.save(answers(part[first..<end]), in: Self.scope)
            first = end
          }
        }
      }
    }
    return Measurement(
      name: "saving, 8 at once, 100 answers each",
      unit: "addresses",
      items: addresses.count,
      bytes: 0,
      usages: [meter.usage]
    )
  }

  /// Another process's saves, with all of them known: what a scan again after a day does.
  private func savingToDisk(_ store: Store) async throws -> Measurement {
    let part = addresses.prefix(addresses.count / 10)
    let meter = Meter()
    var first = part.startIndex
    while first < part.endIndex {
      let end = min(first + Self.batch, part.endIndex)
      await store.save(answers(part[first..<end]), in: Self.scope)
      first = end
    }
    return Measurement(
      name: "saving, one at a time, 100 answers each",
      unit: "addresses",
      items: part.count,
      bytes: 0,
      usages: [meter.usage]
    )
  }

  private func lookingUp(
    _ name: String,
    _ addresses: [Address],
    in store: Store,
    block: Int
  ) async throws -> Measurement {
    var usages: [Usage] = []
    for _ in 0..<runs {
      let meter = Meter()
      var found = 0
      for first in stride(from: 0, to: addresses.count, by: block) {
        let part = Array(addresses[first..<min(first + block, addresses.count)])
        found += await store.lookUp(part, in: Self.scope, youngerThan: nil).positions.count
      }
      usages.append(meter.usage)
      guard found == addresses.count else {
        throw BenchmarkError("\(addresses.count - found) answers are missing")
      }
    }
    return Measurement(
      name: "looking up, \(name)",
      unit: "addresses",
      items: addresses.count,
      bytes: 0,
      usages: usages
    )
  }

  private func lookingUpStrangers(in store: Store) async throws -> Measurement {
    let strangers = addresses.compactMap { $0.ipv4.map { Address(high: 1, low: UInt64($0)) } }
    let meter = Meter()
    for first in stride(from: 0, to: strangers.count, by: Self.block) {
      let part = Array(strangers[first..<min(first + Self.block, strangers.count)])
      let found = await store.lookUp(part, in: Self.scope, youngerThan: nil)
      guard found.positions.isEmpty else { throw BenchmarkError("an answer to nothing") }
    }
    return Measurement(
      name: "looking up what is not there",
      unit: "addresses",
      items: strangers.count,
      bytes: 0,
      usages: [meter.usage]
    )
  }

  /// Opens the store with answers that are still in its log.
  private func opening(_ path: String) async throws -> Measurement {
    let writer = Store(path: path) { say("store: \($0)") }
    let tail = min(addresses.count, 63 << 10)
    for first in stride(from: 0, to: tail, by: Self.batch) {
      await writer.save(answers(addresses[first..<min(first + Self.batch, tail)]), in: Self.scope)
    }
    var usages: [Usage] = []
    for _ in 0..<runs {
      let meter = Meter()
      let store = Store(path: path) { say("store: \($0)") }
      let found = await store.lookUp([addresses[0]], in: Self.scope, youngerThan: nil)
      usages.append(meter.usage)
      guard found.positions == [0] else { throw BenchmarkError("an answer is missing") }
    }
    await writer.close()
    return Measurement(
      name: "opening, \(tail) answers in the log",
      unit: "openings",
      items: 1,
      bytes: 0,
      usages: usages
    )
  }
}

private func say(_ line: String) {
  let text = Array((line + "\n").utf8)
  _ = unsafe write(STDERR_FILENO, text, text.count)
}

/// Answers of the usual size, as ip-api gives them.
private func answers(_ addresses: ArraySlice<Address>) -> RecordBlock {
  var block = RecordBlock()
  for address in addresses {
    var record = Record(address: address, status: .ok)
    record.source = Source(0)
    record.fetchedAt = Timestamp.now.seconds
    record[.countryCode] = block.append(text: "CA")
    record[.country] = block.append(text: "Canada")
    record[.region] = block.append(text: "Quebec")
    record[.regionCode] = block.append(text: "QC")
    record[.city] = block.append(text: "Montreal")
    record[.postalCode] = block.append(text: "H1K")
    record[.timezone] = block.append(text: "America/Toronto")
    record[.isp] = block.append(text: "Le Groupe Videotron Ltee")
    record[.org] = block.append(text: "Videotron Ltee")
    record[.asName] = block.append(text: "Videotron Telecom Ltee")
    (record.latitude, record.longitude, record.asn) = (45.6085, -73.5493, 5769)
    block.records.append(record)
  }
  return block
}
