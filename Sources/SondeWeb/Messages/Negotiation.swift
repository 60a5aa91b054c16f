/// The compressions that a client accepts (RFC 9110 §12.5.3).
struct AcceptedEncodings {
  let hasGzip: Bool

  init(_ fields: [String]) {
    var qualities: [String: Double] = [:]
    for entry in fields.flatMap({ $0.split(separator: ",") }) {
      let parts = entry.split(separator: ";").map(\.trimmed)
      guard let name = parts.first else { continue }
      let quality = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }
      qualities[name.lowercased()] = quality.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
    }
    hasGzip = (qualities["gzip"] ?? qualities["x-gzip"] ?? qualities["*"] ?? 0) > 0
  }
}

/// The media types that a client accepts (RFC 9110 §12.5.1).
struct AcceptedTypes {
  /// Whether it names HTML, and would rather have it than JSON.
  let prefersHTML: Bool

  init(_ headers: HeaderFields) {
    var found: [String: (quality: Double, place: Int)] = [:]
    let entries = headers.values(of: "Accept").flatMap { $0.split(separator: ",") }
    for (place, entry) in entries.enumerated() {
      let parts = entry.split(separator: ";").map(\.trimmed)
      guard let name = parts.first?.lowercased() else { continue }
      let quality = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }
      found[name] = (quality.map { Double($0.dropFirst(2)) ?? 0 } ?? 1, place)
    }
    let json = found["application/json"] ?? found["application/*"] ?? found["*/*"]
    guard let html = found["text/html"], html.quality > 0 else {
      prefersHTML = false
      return
    }
    prefersHTML =
      json.map { (html.quality, -html.place) > ($0.quality, -$0.place) } ?? true
  }
}

/// The versions that a client has cached (RFC 9110 §13.1.2).
struct EntityTags {
  private let tags: Set<Substring>
  private let isAny: Bool

  init(_ fields: [String]) {
    let entries = fields.flatMap { $0.split(separator: ",") }.map(\.trimmed)
    isAny = entries.contains("*")
    // Weak comparison.
    tags = Set(entries.map { $0.hasPrefix("W/") ? $0.dropFirst(2) : $0 })
  }

  func contains(_ tag: String) -> Bool { isAny || tags.contains(tag[...]) }
}
