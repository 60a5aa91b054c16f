import Records
import Scanner

/// How a scan's input is to be read.
public enum InputForm: String, Sendable, CaseIterable {
  case guess, list, log
}

/// What is kept of a scan.
struct StoredScan: Sendable {
  /// What is known from its beginning.
  struct Birth: Sendable {
    let id: String
    let user: String
    let name: String
    let form: InputForm
    /// The providers' names, with commas between them; `nil` for the usual ones.
    let provider: String?
    let createdAt: Timestamp
    /// The bytes of the input, as it came.
    let bytes: Int
    /// What the client calls this request, and all that is in it.
    var idempotency: Idempotency?
  }

  /// A request that is made once, however often it comes.
  struct Idempotency: Sendable, Equatable {
    let key: String
    let request: String
  }

  let birth: Birth
  var life = ScanLife()
  /// What the input is; `nil` before it was looked into.
  var mode: InputMode?
  /// The entries of the input; `nil` before they were counted.
  var total: Int?
  var plan: [UInt8]?
  var counts: [UInt8]?
  var throughput: [UInt8]?

  init(_ birth: Birth) { self.birth = birth }

  var id: String { birth.id }
}
