import SondeInputs
import SondeRecords
import SondeSystem
import SondeWeb

/// The format of a scan's input.
public enum InputForm: String, Sendable, CaseIterable {
  case guess, list, log
}

/// The stored properties of a scan.
struct StoredScan: Sendable {
  /// The properties that are known from the start.
  struct Birth: Sendable {
    let id: String
    let user: String
    let name: String
    let form: InputForm
    /// The providers' names, separated by commas; `nil` for the default ones.
    let provider: String?
    let createdAt: Timestamp
    /// The bytes of the input as received.
    let bytes: Int
    /// The client's key for the request, and its content.
    var idempotency: Idempotency?
  }

  /// Identifies repeated requests that must be executed only once.
  struct Idempotency: Sendable, Equatable {
    let key: String
    let request: String
  }

  let birth: Birth
  var life = ScanLife()
  var deaths = ScanDeaths()
  /// `nil` before planning.
  var mode: InputMode?
  /// The entries of the input; `nil` before they are counted.
  var total: Int?
  var plan: [UInt8]?
  var counts: [UInt8]?
  var throughput: [UInt8]?

  init(_ birth: Birth) { self.birth = birth }

  /// The format of the input as far as it is known.
  var form: InputForm { mode.flatMap { InputForm(rawValue: $0.name) } ?? birth.form }

  /// The number of addresses to ask for, by the plan.
  var toAsk: Int? { planned("to_ask") }

  /// The number of distinct addresses, by the plan.
  var distinct: Int? { planned("distinct") }

  private func planned(_ name: String) -> Int? {
    guard let plan, case .integer(let count)? = (try? JSON(parsing: plan))?[name]
    else { return nil }
    return Int(clamping: count)
  }

  var id: String { birth.id }
}
