import SondeAddresses
package import SondePcap
import SondeRecords

/// The addresses of a capture, delivered one by one as its bytes arrive; used by one thread.
final class CapturedEntries {
  private let name: String
  private let pick: Pick
  private let decoder: CaptureDecoder?
  private var captured = CapturedAddresses()
  private var position = 0
  private var hasEnded = false

  /// Why there are no more addresses, once the earlier ones are taken.
  var failure: InputError? { isEmpty ? reason : nil }
  private var reason: InputError?

  /// Decodes a capture from its first byte.
  init(_ name: String, _ pick: Pick) {
    (self.name, self.pick) = (name, pick)
    do throws(CaptureError) {
      decoder = try CaptureDecoder()
    } catch {
      (decoder, reason, hasEnded) = (nil, InputError(name: name, error), true)
    }
  }

  var isEmpty: Bool { position == captured.addresses.count }

  /// Decodes the next bytes.
  func take(_ bytes: [UInt8], isLast: Bool) {
    guard !hasEnded, isLast || !bytes.isEmpty, let decoder else { return }
    if isEmpty { (position, captured) = (0, CapturedAddresses()) }
    let (packets, error) = decoder.decode(bytes, isLast: isLast)
    reason = error.map { InputError(name: name, $0) }
    hasEnded = isLast || error != nil
    captured.append(packets, pick)
  }

  /// The next address, with the time of its packet in milliseconds since 1970 UTC and its length;
  /// `nil` if there is none yet.
  func next() -> (SightingBook.Occurrence, time: Int64)? {
    guard !isEmpty else { return nil }
    defer { position += 1 }
    let occurrence = SightingBook.Occurrence(
      captured.addresses[position],
      packet: captured.lengths[position]
    )
    return (occurrence, captured.times[position])
  }
}

extension InputError {
  package init(name: String, _ error: CaptureError) {
    self.init(name: name, reason: error.description)
    isBehindText = true
  }
}
