import SondeWeb

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
