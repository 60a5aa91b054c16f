import SondeAddresses
import SondeAsking
import SondeRecords
import Synchronization

/// A source whose answers a test gives.
final class FakeSource: AwaitedSource {
  /// What is found of an address.
  enum Finding: Sendable {
    case names([String], isSure: Bool?)
    case failed, networkLost
  }

  let columns: [AddedColumn]
  let asksReserved: Bool
  private let find: @Sendable (Address) async throws -> Finding
  private let asked = Mutex<[Address]>([])
  private let isStopped = Mutex(false)

  /// Makes a source of three columns whose names begin alike.
  init(
    _ name: String = "ptr",
    asksReserved: Bool = false,
    find: @escaping @Sendable (Address) async throws -> Finding = {
      .names(["\($0).example"], isSure: nil)
    }
  ) {
    columns = [
      AddedColumn(name: name, .list), AddedColumn(name: "\(name)_sure", .flag),
      AddedColumn(name: "\(name)_status", .status),
    ]
    (self.asksReserved, self.find) = (asksReserved, find)
  }

  /// The addresses that it was asked about, in that order.
  var addresses: [String] { asked.withLock { $0 }.map { "\($0)" } }

  /// Whether nothing more is to be asked.
  var wasStopped: Bool { isStopped.withLock { $0 } }

  func values(of addresses: [Address], isFresh: Bool) async throws -> AddedValues {
    asked.withLock { $0 += addresses }
    var values = AddedValues()
    for address in addresses {
      switch try await find(address) {
      case .names(let names, let isSure):
        values.append(list: names)
        values.append(flag: isSure)
        values.append(status: .named(names.isEmpty ? "none" : "unconfirmed"))
      case .failed: fail(.failed, &values)
      case .networkLost: fail(.networkLost, &values)
      }
    }
    return values
  }

  private func fail(_ status: AddedStatus, _ values: inout AddedValues) {
    values.appendNothing(2)
    values.append(status: status)
  }

  func stopAsking() { isStopped.withLock { $0 = true } }
}
