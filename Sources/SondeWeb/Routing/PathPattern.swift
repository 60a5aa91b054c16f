/// A path with parameters: `/scans/{id}/records`, below the base path.
struct PathPattern: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  enum Segment: Sendable, Hashable {
    case literal(String)
    case parameter(String)
  }

  let segments: [Segment]

  init(_ text: String) {
    segments = text.split(separator: "/", omittingEmptySubsequences: false)
      .dropFirst(text.hasPrefix("/") ? 1 : 0)
      .map {
        $0.hasPrefix("{") ? .parameter(String($0.dropFirst().dropLast())) : .literal(String($0))
      }
  }

  init(stringLiteral text: String) { self.init(text) }

  /// The parameters of a path; `nil` if it does not match.
  func match(_ path: [String]) -> [String: String]? {
    guard path.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (segment, text) in zip(segments, path) {
      switch segment {
      case .literal(let literal): guard literal == text else { return nil }
      // An empty segment is not a value.
      case .parameter(let name):
        guard !text.isEmpty else { return nil }
        parameters[name] = text
      }
    }
    return parameters
  }

  /// Whether this pattern is more specific than another: a literal precedes a parameter.
  func precedes(_ other: PathPattern) -> Bool {
    for (mine, theirs) in zip(segments, other.segments) {
      switch (mine, theirs) {
      case (.literal, .parameter): return true
      case (.parameter, .literal): return false
      default: continue
      }
    }
    return false
  }

  var description: String {
    segments.reduce("") { text, segment in
      switch segment {
      case .literal(let literal): "\(text)/\(literal)"
      case .parameter(let name): "\(text)/{\(name)}"
      }
    }
  }
}
