/// How the body of a request is delimited (RFC 9112 §6).
struct Framing: Equatable {
  /// Its length; `nil` where it is sent in chunks.
  let length: Int?

  /// Whether the client waits to be told to send it (RFC 9110 §10.1.1).
  let expectsContinue: Bool

  /// Whether there is any.
  var hasBody: Bool { length != 0 }

  /// - Throws: ``Problem`` with 400 where two readers could disagree about where the body ends.
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

  /// Whether the handler runs only once the body is there: it is short, and comes unasked.
  var isAwaited: Bool { length.map { $0 > 0 && $0 <= Upload.room } == true && !expectsContinue }

  /// How much of a body that nobody reads is taken, so that the client comes to read the answer: most
  /// send all before they look for one, and lose it where the connection is closed before.
  static let longestDiscarded = 4 << 30

  /// Whether an answer before the body waits until the body has been discarded.
  var isDiscarded: Bool { hasBody && !expectsContinue && (length ?? 0) <= Self.longestDiscarded }
}

extension String {
  /// Whether it is a name of a field (RFC 9110 §5.6.2).
  fileprivate var isToken: Bool {
    !isEmpty
      && utf8.allSatisfy { byte in
        let letter = byte | 0x20
        return UInt8(ascii: "a")...UInt8(ascii: "z") ~= letter
          || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
  }
}

extension UInt8 {
  /// Whether it is a control character that no value may have (RFC 9110 §5.5).
  fileprivate var isControl: Bool { self < 0x20 && self != 0x09 || self == 0x7f }
}
