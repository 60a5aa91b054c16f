import SondeAddresses
import Glibc
import SondeRecords
import SondeStore
import SondeSystem

/// Uses a store from a process of its own, as its arguments say.
///
///     save PATH FIRST COUNT     saves so many answers, one at a time, and tells of each one saved
///     find PATH FIRST COUNT     says how many of them are found
///     count FOLDER KEY TIMES    adds 1 to a row of the ledger so often
///     hold FOLDER               says the ledger's holder once it is alive, and waits for input
///
/// The first argument may be `as=UID`: the user to be. Warnings go to standard error.
@main
struct StoreProbe {
  private static let scope = AnswerScope(
    provider: "ip-api",
    endpoint: "http://ip-api.com",
    account: "",
    language: "en",
    fields: 0b0110
  )

  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    if let user = arguments.first, user.hasPrefix("as="), let number = uid_t(user.dropFirst(3)) {
      arguments.removeFirst()
      guard setgid(number) == 0, setuid(number) == 0 else { return fail("no such user") }
    }
    guard arguments.count > 1 else { return fail("usage: save|find|count|hold PATH …") }
    let store = Store(path: arguments[1]) { say($0, to: STDERR_FILENO) }
    let ledger = Ledger(folder: arguments[1]) { say($0, to: STDERR_FILENO) }
    let numbers = arguments.dropFirst(2).map { UInt32($0) ?? 0 }
    switch (arguments[0], numbers.count) {
    case ("save", 2): await save(numbers[0], numbers[1], to: store)
    case ("find", 2): await find(numbers[0], numbers[1], in: store)
    case ("count", 2): await count(arguments[2], numbers[1], in: ledger)
    case ("hold", _): await hold(ledger)
    default: fail("usage: save|find|count|hold PATH …")
    }
    await store.close()
    await ledger.close()
  }

  private static func save(_ first: UInt32, _ count: UInt32, to store: Store) async {
    for number in first..<first + count {
      var block = RecordBlock()
      var record = Record(address: Address(ipv4: number), status: .ok)
      record.source = Source(0)
      record.fetchedAt = Timestamp.now.seconds
      record[.city] = block.append(text: "City \(number)")
      block.records.append(record)
      await store.save(block, in: scope)
      say("\(number)", to: STDOUT_FILENO)
    }
  }

  private static func find(_ first: UInt32, _ count: UInt32, in store: Store) async {
    let addresses = (first..<first + count).map { Address(ipv4: $0) }
    let found = await store.lookUp(addresses, in: scope, youngerThan: .seconds(3600))
    let isRight = found.block.records.allSatisfy { record in
      found.block.text(.city, of: record) == record.address?.ipv4.map { "City \($0)" }
    }
    say(isRight ? "\(found.positions.count)" : "wrong", to: STDOUT_FILENO)
  }

  private static func count(_ key: String, _ times: UInt32, in ledger: Ledger) async {
    var failures = 0
    for _ in 0..<times {
      let update = await ledger.update(key) { row in
        let sum = (Int(String(decoding: row.bytes, as: UTF8.self)) ?? 0) + 1
        row.bytes = Array("\(sum)".utf8)
        return sum
      }
      if update.result == nil { failures += 1 }
    }
    say("\(failures)", to: STDOUT_FILENO)
  }

  private static func hold(_ ledger: Ledger) async {
    let isOpen = await ledger.update("hold") { _ in true }.result
    say(isOpen == true ? "\(ledger.holder)" : "none", to: STDOUT_FILENO)
    var byte: UInt8 = 0
    _ = unsafe read(STDIN_FILENO, &byte, 1)
  }

  private static func fail(_ message: String) {
    say(message, to: STDERR_FILENO)
    exit(2)
  }
}

private func say(_ line: String, to descriptor: Int32) {
  let text = Array((line + "\n").utf8)
  _ = unsafe write(descriptor, text, text.count)
}
