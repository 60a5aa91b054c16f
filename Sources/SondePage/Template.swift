/// Some of a template: what stands in it, or a place that is named in it.
enum Piece: Equatable {
  case markup(ArraySlice<UInt8>)
  case place(String)
}

/// Cuts a template at its places, `{{name}}`.
///
/// What is put into a place is never looked through for others.
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
