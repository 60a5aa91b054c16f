import Addresses
import Records
import Transfer

@testable import Providers

/// A response as a server would send it.
func response(_ body: String, status: Int = 200, _ headers: [String] = []) -> Response {
  let head = headers.map { $0 + "\r\n" }.joined()
  return Response(status: status, body: Array(body.utf8), rawHeader: Array("\(head)\r\n".utf8))
}

/// The moment at which the tests' answers come.
let readingTime: Int64 = 1_700_000_000

extension RemoteAPI {
  /// What a body means for addresses.
  func read(_ body: String, for texts: [String], form: RequestForm = .batch) -> Reading {
    read(response(body), for: texts, form: form)
  }

  /// What a response means for addresses.
  func read(_ response: Response, for texts: [String], form: RequestForm = .batch) -> Reading {
    read(response, for: texts.map(address), form: form, time: readingTime)
  }

  /// What a body means for one address asked alone: its fields by their names.
  func single(_ body: String, for text: String = "8.8.8.8") -> [String: String] {
    read(body, for: [text], form: .single).fields.first ?? [:]
  }
}

extension Reading {
  /// The fields of every record, in their order; none when there are no answers.
  var fields: [[String: String]] {
    guard case .answers(let answers) = self else { return [] }
    return answers.block.records.map { ProvidersTests.fields(of: $0, in: answers.block) }
  }

  /// The positions without a usable entry; `nil` when there are no answers.
  var missing: [Int]? {
    if case .answers(let answers) = self { answers.missing } else { nil }
  }

  /// A line for each record, `8.8.8.8 ok US`, or the name of what else it is.
  var lines: [String] {
    switch self {
    case .answers(let answers):
      answers.block.records.map { record in
        let country = answers.block.text(.countryCode, of: record)
        let ip = record.address.map { "\($0)" } ?? "none"
        return ([ip, record.status.name] + [country].compactMap(\.self)).joined(separator: " ")
      }
    case .throttled: ["throttled"]
    case .fault(let message): ["fault: \(message)"]
    case .refused(let message): ["refused: \(message)"]
    case .takesNoBatch: ["takes no batch"]
    case .loginPage: ["login page"]
    }
  }
}
