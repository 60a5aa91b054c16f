/// Which addresses of a log's line or packet count, as `--pick` specifies.
public struct Pick: Hashable, Sendable {
  /// Which of the addresses within the value.
  public enum Place: String, Sendable {
    case all, first, last
    /// The first that is not special-purpose.
    case open = "public"
  }

  /// The name of the value in which they are; `nil` for the whole line.
  public let name: String?

  /// Which of them.
  public let place: Place

  /// Parses `all`, `first`, `last`, `public`, `name:NAME` or `name:NAME,first` and the like; `nil`
  /// for any other text.
  public init?(_ text: String) {
    let mark = "name:"
    guard text.hasPrefix(mark) else {
      guard let place = Place(rawValue: text) else { return nil }
      (name, self.place) = (nil, place)
      return
    }
    var name = text.dropFirst(mark.count)
    var place = Place.all
    // A name may have commas.
    if let comma = name.lastIndex(of: ","),
      let named = Place(rawValue: String(name[comma...].dropFirst())), named != .all
    {
      (name, place) = (name[..<comma], named)
    }
    guard !name.isEmpty else { return nil }
    (self.name, self.place) = (String(name), place)
  }

  /// All addresses of the line.
  public static let all = Pick(name: nil, place: .all)

  private init(name: String?, place: Place) { (self.name, self.place) = (name, place) }

  /// Its one spelling.
  public var spelling: String {
    guard let name else { return place.rawValue }
    return "name:\(name)" + (place == .all ? "" : ",\(place.rawValue)")
  }
}
