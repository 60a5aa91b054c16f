import SondeAddresses
package import SondeRecords
import Synchronization

/// The numbers of distinct addresses that share country, region and city, so that a place of too
/// few can be left out.
package final class PlaceGroups: Sendable {
  private struct State {
    var numbers: [[UInt8]: Int] = [:]
    var sizes: [Int] = []
    /// The addresses counted so far, if an address may have several records.
    var known: Set<Address>?
  }

  private let least: Int
  private let state: Mutex<State>

  /// Creates empty groups; places of fewer than `least` addresses are left out.
  package init(least: Int, mayRepeat: Bool) {
    self.least = least
    state = Mutex(State(known: mayRepeat ? [] : nil))
  }

  /// Counts a record; returns the number of its group.
  package func count(_ record: Record, _ bytes: Span<UInt8>) -> Int {
    var key: [UInt8] = []
    for field in [TextField.countryCode, .region, .city] {
      let start = Int(record[field].offset)
      for index in start..<start + Int(record[field].count) { key.append(bytes[index]) }
      // No UTF-8 has this byte.
      key.append(0xff)
    }
    return state.withLock { state in
      let group = state.numbers[key] ?? state.sizes.count
      if group == state.sizes.count {
        state.numbers[key] = group
        state.sizes.append(0)
      }
      if let address = record.address, state.known?.insert(address).inserted ?? true {
        state.sizes[group] += 1
      }
      return group
    }
  }

  /// Whether enough addresses share the place of a group.
  package func isLarge(_ group: Int) -> Bool { state.withLock { $0.sizes[group] >= least } }
}

extension Record {
  /// The record without the place below its region.
  var withoutPlace: Record {
    var record = self
    (record[.city], record[.postalCode]) = (.none, .none)
    (record.latitude, record.longitude) = (.nan, .nan)
    return record
  }

  /// Whether it has a place below its region.
  var hasPlace: Bool {
    !self[.city].isEmpty || !self[.postalCode].isEmpty || latitude.isFinite || longitude.isFinite
  }
}
