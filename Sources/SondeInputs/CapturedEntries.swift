import SondeAddresses
package import SondePcap
import SondeRecords

/// The addresses of a capture, delivered one by one as its bytes arrive; used by one thread.
final class CapturedEntries {
  private let name: String
  private let decoder: CaptureDecoder?
  private let holding: HeldAddresses?
  private var addresses: [Address] = []
  private var position = 0
  private var duplicates = 0
  private var hasEnded = false

  /// Why there are no more addresses, once the earlier ones are taken.
  var failure: InputError? { isEmpty ? reason : nil }
  private var reason: InputError?

  /// Decodes a capture from its first byte; to count `traffic`, addresses are kept to the end.
  init(_ name: String, _ traffic: Traffic?, input: UInt32) {
    self.name = name
    holding = traffic.map { HeldAddresses($0, input: input) }
    do throws(CaptureError) {
      decoder = try CaptureDecoder()
    } catch {
      (decoder, reason, hasEnded) = (nil, InputError(name: name, error), true)
    }
  }

  var isEmpty: Bool { position == addresses.count }

  /// Decodes the next bytes.
  func take(_ bytes: [UInt8], isLast: Bool) {
    guard !hasEnded, isLast || !bytes.isEmpty, let decoder else { return }
    if isEmpty { (position, addresses) = (0, []) }
    let (packets, error) = decoder.decode(bytes, isLast: isLast)
    reason = error.map { InputError(name: name, $0) }
    hasEnded = isLast || error != nil
    guard let holding else {
      for packet in packets { packet.appendAddresses(to: &addresses) }
      return
    }
    holding.take(packets)
    guard hasEnded else { return }
    let held = holding.finish()
    addresses += held.addresses
    duplicates += held.duplicates
  }

  /// The next address; `nil` if there is none yet.
  func next() -> Address? {
    guard position < addresses.count else { return nil }
    position += 1
    return addresses[position - 1]
  }

  /// Returns and resets the number of addresses that were not delivered as duplicates.
  func takeDuplicates() -> Int {
    defer { duplicates = 0 }
    return duplicates
  }
}

extension InputError {
  package init(name: String, _ error: CaptureError) {
    self.init(name: name, reason: error.description)
    isBehindText = true
  }
}
