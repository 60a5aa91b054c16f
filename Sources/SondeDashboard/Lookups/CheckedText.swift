public import SondeAddresses
public import SondeRecords

/// The interpretation of a text entered as one address.
public struct CheckedText: Sendable, Equatable {
  /// The state shown by the field.
  public enum State: String, Sendable {
    case empty, invalid, valid
  }

  /// The version of the address.
  public enum Kind: String, Sendable {
    case ipv4, ipv6
  }

  /// The maximum length in bytes, without surrounding white space: more than any address needs.
  public static let longest = 45

  /// The state shown by the field.
  public let state: State

  /// The address; `nil` if the text is not one.
  public let address: Address?

  /// The zone of a link-local address, without its `%`.
  let zone: [UInt8]

  /// Why it is not an address, or what is special about it.
  public let message: String?

  /// Parses a text; surrounding white space is ignored.
  public init(_ text: String) {
    let bytes = Array(text.utf8)
    let length = bytes.drop { $0 <= 0x20 }.reversed().drop { $0 <= 0x20 }.count
    guard 1...Self.longest ~= length else {
      (state, address, zone) = (length == 0 ? .empty : .invalid, nil, [])
      message = length == 0 ? nil : "longer than an address can be"
      return
    }
    switch ListItem.parse(operand: bytes.span) {
    case .address(let address, let range):
      (state, self.address) = (.valid, address)
      zone = range.map { Array(bytes[$0]) } ?? []
      message = address.specialPurpose?.message
    case .range:
      (state, address, zone) = (.invalid, nil, [])
      message = "this is a block or a range: use Scans"
    case .invalid(let fault) where !fault.item.isEmpty:
      (state, address, zone, message) = (.invalid, nil, [], fault.message)
    // A text of only Unicode white space is an empty operand.
    case .invalid, .nothing: (state, address, zone, message) = (.empty, nil, [], nil)
    }
  }

  /// The version of the address; `nil` if there is none.
  public var kind: Kind? { address.map { $0.isIPv4 ? .ipv4 : .ipv6 } }

  /// The address.
  ///
  /// - Throws: ``DashboardError`` if the text is not one.
  package func found() throws(DashboardError) -> Address {
    guard let address else { throw DashboardError(.invalidAddress, message ?? "is empty") }
    return address
  }

  /// The zone with its `%`; empty if there is none.
  package var suffix: String { zone.isEmpty ? "" : "%" + String(decoding: zone, as: UTF8.self) }

  /// The result as returned by the API.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("state", state.rawValue)
    object.add("kind", optional: kind?.rawValue)
    object.add("ip", optional: address.map { "\($0)\(suffix)" })
    object.add("status", optional: status?.name)
    object.add("message", optional: message)
    return object
  }

  /// The status of a record that needs no request; `nil` if one is needed.
  private var status: Status? {
    switch state {
    case .empty: nil
    case .invalid: .invalid
    case .valid: address?.specialPurpose == nil ? .ok : .reserved
    }
  }
}
