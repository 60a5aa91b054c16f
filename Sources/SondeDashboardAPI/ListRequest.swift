import SondeDashboard
import SondeRecords
import SondeWeb

extension Query {
  /// The maximum number of items per page.
  private static var longestList: Int { 500 }

  /// The requested number of items.
  func limit() throws(Problem) -> Int { try integer("limit", in: 1...Self.longestList) ?? 100 }

  /// Where a page of a list begins, and its longest length; nothing else may be requested.
  func page() throws(Problem) -> (before: Int64?, limit: Int) {
    try allow("before", "limit")
    return (try before().map { Int64($0) }, try limit())
  }

  /// A text to search for; it cannot contain NUL, as no value does.
  func searched(_ name: String) throws(Problem) -> String {
    let text = self[name] ?? ""
    guard !text.utf8.contains(0) else { throw .invalid("“\(name)” must not have a NUL") }
    return text
  }

  /// The number before which a list resumes.
  func before() throws(Problem) -> Int? {
    guard let text = self["before"] else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw .invalid("“before” must be what “next” was")
    }
    return number
  }
}

extension Request {
  /// A list that is in memory, and does not change while the server runs.
  func list(_ items: [[UInt8]]) throws(Problem) -> Response {
    let (before, limit) = try query.page()
    let start = min(items.count, Int(clamping: before ?? 0))
    let end = min(items.count, start + limit)
    return .list(Array(items[start..<end]), next: end < items.count ? "\(end)" : nil)
  }
}

extension Response {
  /// A page of a list of JSON values, and where the next one begins.
  static func list(_ items: [[UInt8]], next: String?) -> Response {
    var object = JSONObject()
    object.add("items", array: items)
    object.add("next", optional: next)
    return .json(object.bytes)
  }
}

/// An identifier: 128 bits in lower-case hexadecimal digits.
struct ObjectID: LosslessStringConvertible {
  let description: String

  init?(_ text: String) {
    let digits = "0123456789abcdef".utf8
    guard text.utf8.count == 32, text.utf8.allSatisfy(digits.contains) else { return nil }
    description = text
  }
}

extension Request {
  /// Ensures that there is neither a query nor a body.
  func withoutContent() async throws(Problem) {
    try query.allow()
    try await withoutBody()
  }

  func id() throws(Problem) -> String { try parameter("id", as: ObjectID.self).description }
}
