/// How the body of a request is delimited (RFC 9112 §6).
struct Framing: Equatable {
  /// Its length; `nil` where it is sent in chunks.
  let length: Int?

  /// Whether the client waits to be told to send it (RFC 9110 §10.1.1).
  let expectsContinue: Bool

  /// Whether there is any.
  var hasBody: Bool { length != 0 }

  /// - Throws: ``Problem`` with 400 where two readers could disagree about where the body ends.
  init(_ headers: HeaderFields) throws(Problem) {
    // `Content-Length : 5` (RFC 9112 §5.1).
    guard headers.fields.allSatisfy({ !$0.name.utf8.contains(where: { $0 <= 0x20 }) }) else {
      throw .malformed("a blank in the name of a header")
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

  /// Whether the handler runs only once the body is there: it is short, and comes unasked.
  var isAwaited: Bool { length.map { $0 > 0 && $0 <= Upload.room } == true && !expectsContinue }

  /// How much of a body that nobody reads is taken, so that the client comes to read the answer: most
  /// send all before they look for one, and lose it where the connection is closed before.
  static let longestDiscarded = 4 << 30

  /// Whether an answer before the body waits until the body has been discarded.
  var isDiscarded: Bool { hasBody && !expectsContinue && (length ?? 0) <= Self.longestDiscarded }
}
