import SondeAddresses
import SondeInputs
import SondeRecords

/// Parses the networks and ranges of tables; a faulty one is a problem of its row.
extension AddressRange {
  /// The range of a single address.
  init(alone address: Address) {
    self.init(block: address, length: address.isIPv4 ? 32 : 128)
  }

  /// Reads an address, a block or a range.
  init(cell: Span<UInt8>) throws(CellLayout.Problem) {
    guard !ListItem.itemRange(in: cell).isEmpty else { throw Self.noNetwork }
    switch ListItem.parse(operand: cell) {
    case .address(let address, _): self.init(alone: address)
    case .range(let range): self = range
    case .invalid(let fault): throw CellLayout.Problem(reason: fault.reason)
    case .nothing: throw Self.noNetwork
    }
  }

  private static let noNetwork = CellLayout.Problem(reason: "has no network")

  /// Reads the first and the last address of a range, as text or as whole numbers; `areNumbers` if both are
  /// such.
  ///
  /// There are several ranges only where numbers of both families are in one.
  static func ranges(
    from first: Span<UInt8>,
    through last: Span<UInt8>
  ) throws(CellLayout.Problem) -> (ranges: [AddressRange], areNumbers: Bool) {
    if let first = number(first), let last = number(last) {
      return (try ranges(from: first, through: last), true)
    }
    let (first, last) = (try end(first), try end(last))
    guard let range = AddressRange(first: first, last: last) else {
      let isMixed = first.isIPv4 != last.isIPv4
      let flaw = isMixed ? "has ends of two families" : "ends before it begins"
      throw CellLayout.Problem(reason: "the range \(first)-\(last) \(flaw)")
    }
    return ([range], false)
  }

  private static func end(_ cell: Span<UInt8>) throws(CellLayout.Problem) -> Address {
    let range = try AddressRange(cell: cell)
    guard range.lastOffset == 0 else {
      let word = cell.repaired(maximum: 64)
      throw CellLayout.Problem(reason: "the end \(word) of its range is no address")
    }
    return range.first
  }

  /// A whole number of an address; `nil` for any other text.
  private static func number(_ cell: Span<UInt8>) -> UInt128? {
    for index in cell.indices where !(0x30...0x39 ~= cell[index]) { return nil }
    return UInt128(cell.repaired(maximum: 64))
  }

  /// The addresses from one number to another: those of IPv4 if the last is below 2³², else of IPv6,
  /// in which `::ffff:0:0/96` is IPv4.
  private static func ranges(
    from first: UInt128,
    through last: UInt128
  ) throws(CellLayout.Problem) -> [AddressRange] {
    guard first <= last else {
      throw CellLayout.Problem(reason: "the range \(first)-\(last) ends before it begins")
    }
    let mapped = Address(ipv4: 0).number...Address(ipv4: .max).number
    let base = last < 1 << 32 ? mapped.lowerBound : 0
    // The boundaries between the families, at which a range is cut.
    let (first, last) = (base + first, base + last)
    let cuts = [mapped.lowerBound, mapped.upperBound + 1].filter { first < $0 && $0 <= last }
    let starts = [first] + cuts
    let ends = cuts.map { $0 - 1 } + [last]
    return zip(starts, ends).compactMap {
      AddressRange(first: Address(number: $0), last: Address(number: $1))
    }
  }
}
