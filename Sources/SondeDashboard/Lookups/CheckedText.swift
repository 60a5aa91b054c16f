public import SondeAddresses
public import SondeRecords

/// What a text says that is given as one address.
public struct CheckedText: Sendable, Equatable {
  /// What the field shows.
  public enum State: String, Sendable {
    case empty, invalid, valid
  }

  /// The version of the address.
  public enum Kind: String, Sendable {
    case ipv4, ipv6
  }

  /// The longest text, in bytes, without the white space around it: more than an address can have.
  public static let longest = 45

  /// What the field shows.
  public let state: State

  /// The address; `nil` where it is none.
  public let address: Address?

  /// The zone of a link-local address, without its `%`.
  package let zone: [UInt8]

  /// Why it is no address, or what is special about it.
  public let message: String?

  /// Reads a text.
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
    // White space of other scripts alone is an empty operand.
    case .invalid, .nothing: (state, address, zone, message) = (.empty, nil, [], nil)
    }
  }

  /// The version of the address; `nil` where it is none.
  public var kind: Kind? { address.map { $0.isIPv4 ? .ipv4 : .ipv6 } }

  /// The text as the API tells of it.
  public var json: JSONObject {
    var object = JSONObject()
    object.add("state", state.rawValue)
    object.add("kind", optional: kind?.rawValue)
    let suffix = zone.isEmpty ? "" : "%" + String(decoding: zone, as: UTF8.self)
    object.add("ip", optional: address.map { "\($0)\(suffix)" })
    object.add("status", optional: status?.name)
    object.add("message", optional: message)
    return object
  }

  /// How a record of it would end without asking anybody; `nil` for nothing.
  private var status: Status? {
    switch state {
    case .empty: nil
    case .invalid: .invalid
    case .valid: address?.specialPurpose == nil ? .ok : .reserved
    }
  }
}
