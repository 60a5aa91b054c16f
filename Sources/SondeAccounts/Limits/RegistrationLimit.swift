/// Limits registrations to 5 per hour and address.
struct RegistrationLimit: Sendable {
  private struct Registrations {
    var times: [Duration] = []
    var underWay = 0
  }

  private static let most = 5
  private static let hour = Duration.seconds(3600)

  private var addresses = RecentTable<ClientAddress, Registrations>(lifetime: hour)

  /// Starts a registration, which counts as successful until ``end(_:isRegistered:_:)``.
  ///
  /// - Returns: How long to wait; `nil` if it may start.
  mutating func admit(_ address: ClientAddress, _ now: Duration) -> Duration? {
    var found = registrations(from: address, now)
    guard found.times.count + found.underWay < Self.most else {
      let isFull = found.times.count >= Self.most
      return isFull ? (found.times[0] + Self.hour - now).roundedUp : .seconds(1)
    }
    found.underWay += 1
    addresses.set(address, to: found, now)
    return nil
  }

  mutating func end(_ address: ClientAddress, isRegistered: Bool, _ now: Duration) {
    var found = registrations(from: address, now)
    found.underWay = max(0, found.underWay - 1)
    if isRegistered { found.times.append(now) }
    addresses.set(address, to: found.times.isEmpty && found.underWay == 0 ? nil : found, now)
  }

  private func registrations(from address: ClientAddress, _ now: Duration) -> Registrations {
    var found = addresses.find(address, now) ?? Registrations()
    found.times.removeAll { now - $0 >= Self.hour }
    return found
  }
}
