import SondeInputs
import SondeRecords
import SondeSystem
import SondeWeb

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
  var deaths = ScanDeaths()
  /// What the input is; `nil` before it was looked into.
  var mode: InputMode?
  /// The entries of the input; `nil` before they were counted.
  var total: Int?
  var plan: [UInt8]?
  var counts: [UInt8]?
  var throughput: [UInt8]?

  init(_ birth: Birth) { self.birth = birth }

  /// How the input is read, as far as that is known.
  var form: InputForm {
    switch mode {
    case .list: .list
    case .log: .log
    case nil: birth.form
    }
  }

  /// How many addresses would be asked for, by the plan.
  var toAsk: Int? { planned("to_ask") }

  /// How many addresses there are, by the plan.
  var distinct: Int? { planned("distinct") }

  private func planned(_ name: String) -> Int? {
    guard let plan, case .integer(let count)? = (try? JSON(parsing: plan))?[name] else {
      return nil
    }
    return Int(clamping: count)
  }

  var id: String { birth.id }
}
