import SondeAddresses
import SondeRecords
import SondeTransfer

func jsonArray(of addresses: [Address]) -> [UInt8] {
  var body: [UInt8] = []
  body.reserveCapacity(addresses.count * 20 + 2)
  body.append(UInt8(ascii: "["))
  for address in addresses {
    if body.count > 1 { body.append(UInt8(ascii: ",")) }
    body.append(UInt8(ascii: "\""))
    address.append(to: &body)
    body.append(UInt8(ascii: "\""))
  }
  body.append(UInt8(ascii: "]"))
  return body
}

/// The largest accepted answer to a request for some addresses, in bytes.
///
/// Entries have one or two kilobytes; a login page may have some hundred. Parsing takes many times
/// as much memory, so the size must be limited.
func largestAnswer(to addresses: Int) -> Int {
  min((4 << 20) + addresses * (16 << 10), Request.standardMaximumBody)
}

extension Address {
  init?(ascii bytes: [UInt8], at range: TextRange) {
    let start = Int(range.offset)
    self.init(ascii: bytes.span.extracting(start..<start + Int(range.count)))
  }
}

extension Request {
  /// Makes it a request about several addresses, which are its body.
  mutating func ask(about addresses: [Address]) {
    method = .post
    headers = [("Content-Type", "application/json"), ("Accept", "application/json")]
    body = jsonArray(of: addresses)
    maximumBody = largestAnswer(to: addresses.count)
  }
}
