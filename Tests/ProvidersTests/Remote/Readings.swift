import SondeAddresses
import SondeRecords
import TestSupport
import SondeTransfer

@testable import SondeProviders

/// A response as a server would send it.
func response(_ body: String, status: Int = 200, _ headers: [String] = []) -> Response {
  let head = headers.map { $0 + "\r\n" }.joined()
  return Response(status: status, body: Array(body.utf8), rawHeader: Array("\(head)\r\n".utf8))
}

/// The moment at which the tests' answers come.
let readingTime: Int64 = 1_700_000_000

/// What a response holds, and what it means.
struct Judged {
  let reading: Reading
  let verdict: ExchangeVerdict
}

extension RemoteAPI {
  /// What a body means for addresses.
  func read(_ body: String, for texts: [String], form: RequestForm = .batch) -> Judged {
    read(response(body), for: texts, form: form)
  }

  /// What a response means for addresses.
  func read(_ response: Response, for texts: [String], form: RequestForm = .batch) -> Judged {
    let reading = read(response, for: texts.map(address), form: form, time: readingTime)
    return Judged(reading: reading, verdict: ExchangeVerdict(response, reading, form: form))
  }

  /// What a body means for one address asked alone: its fields by their names.
  func single(_ body: String, for text: String = "8.8.8.8") -> [String: String] {
    read(body, for: [text], form: .single).fields.first ?? [:]
  }
}

extension Judged {
  private var answers: Answers? {
    if case .answers(let answers) = reading.content { answers } else { nil }
  }

  /// What the provider says of what it failed at.
  var complaint: String? { answers?.complaint }

  /// The fields of every record, in their order; none when there are no answers.
  var fields: [[String: String]] {
    guard let answers else { return [] }
    return answers.block.records.map { ProvidersTests.fields(of: $0, in: answers.block) }
  }

  /// The positions without a usable entry; `nil` when there are no answers.
  var missing: [Int]? { answers?.missing }

  /// A line for each record, `8.8.8.8 ok US`, or the name of what else it is.
  var lines: [String] {
    switch verdict.meaning {
    case .answered:
      guard let answers else { return ["answered"] }
      return answers.block.records.map { record in
        let country = answers.block.text(.countryCode, of: record)
        let ip = record.address.map { "\($0)" } ?? "none"
        return ([ip, record.status.name] + [country].compactMap(\.self)).joined(separator: " ")
      }
    case .retry: return ["fault: \(verdict.words)"]
    case .throttled: return ["throttled"]
    case .away(let isQuotaSpent): return [isQuotaSpent ? "quota spent" : "away"]
    case .refused: return ["refused: \(verdict.words)"]
    case .noBatches: return ["takes no batch"]
    case .rejected: return ["rejected: \(verdict.words)"]
    case .lost: return [verdict.path == .loginPage ? "login page" : "lost"]
    case .stale: return ["stale"]
    case .hopeless: return ["hopeless"]
    }
  }
}
