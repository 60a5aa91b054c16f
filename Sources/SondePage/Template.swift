/// A piece of a template: text, or a named placeholder.
enum Piece: Equatable {
  case markup(ArraySlice<UInt8>)
  case place(String)
}

/// Splits a template at its placeholders, `{{name}}`.
///
/// Inserted text is not searched for placeholders.
func pieces(of template: [UInt8]) -> [Piece] {
  var (pieces, rest) = ([Piece](), template[...])
  while let open = rest.firstRange(of: "{{".utf8),
    let close = rest[open.upperBound...].firstRange(of: "}}".utf8)
  {
    pieces.append(.markup(rest[..<open.lowerBound]))
    pieces.append(.place(String(decoding: rest[open.upperBound..<close.lowerBound], as: UTF8.self)))
    rest = rest[close.upperBound...]
  }
  return pieces + [.markup(rest)]
}
