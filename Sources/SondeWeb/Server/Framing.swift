/// The framing of a request's body (RFC 9112 §6).
struct Framing: Equatable {
  /// `nil` if the body is chunked.
  let length: Int?

  /// Whether the client waits for a go-ahead before sending the body (RFC 9110 §10.1.1).
  let expectsContinue: Bool

  var hasBody: Bool { length != 0 }

  /// - Throws: ``Problem`` with 400 if two parsers could disagree about the end of the body.
  init(_ head: RequestHead) throws(Problem) {
    guard head.isWhole else {
      throw .malformed("a header with a NUL, a folded line, or lines that do not end by CR LF")
    }
    try self.init(head.headers)
    // RFC 9112 §6.1
    guard length != nil || !head.isOld else { throw .malformed("chunks in HTTP/1.0") }
  }

  init(_ headers: HeaderFields) throws(Problem) {
    // `Content-Length : 5` (RFC 9112 §5.1).
    guard headers.fields.allSatisfy({ $0.name.isToken }) else {
      throw .malformed("a header whose name is none")
    }
    guard !headers.fields.contains(where: { $0.value.utf8.contains(where: \.isControl) }) else {
      throw .malformed("a header with a control character")
    }
    let codings = headers.values(of: "Transfer-Encoding")
    let lengths = headers.values(of: "Content-Length")
    expectsContinue = headers["Expect"]?.equalsIgnoringCase("100-continue") ?? false
    if codings.isEmpty {
      guard lengths.count <= 1 else { throw .malformed("two lengths") }
      guard let length = Int(decimal: lengths.first ?? "0", in: 0...Int.max) else {
        throw .malformed("a length that is no number")
      }
      self.length = length
    } else {
      guard lengths.isEmpty, codings.count == 1, codings[0].equalsIgnoringCase("chunked") else {
        throw .malformed("a body that is neither of one length nor in chunks")
      }
      length = nil
    }
  }

  init(length: Int?, expectsContinue: Bool = false) {
    (self.length, self.expectsContinue) = (length, expectsContinue)
  }

  /// Whether the handler runs after the body is complete, because it is short and sent unasked.
  var isAwaited: Bool { length.map { $0 > 0 && $0 <= Upload.room } == true && !expectsContinue }

  /// The largest unread body that is received and discarded before the answer, in bytes.
  ///
  /// Most clients send the whole body before they read an answer, and lose it if the connection is
  /// closed earlier.
  static let longestDiscarded = 4 << 30

  /// Whether an early answer waits until the body has been discarded.
  var isDiscarded: Bool { hasBody && !expectsContinue && (length ?? 0) <= Self.longestDiscarded }
}

extension String {
  /// Whether it is a valid field name (RFC 9110 §5.6.2).
  fileprivate var isToken: Bool { !isEmpty && isAlphanumeric(or: "!#$%&'*+-.^_`|~") }
}

extension UInt8 {
  /// Whether it is a control character forbidden in values (RFC 9110 §5.5).
  fileprivate var isControl: Bool { self < 0x20 && self != 0x09 || self == 0x7f }
}
