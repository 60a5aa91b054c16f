import SondeAddresses
import SondeSystem

extension Format {
  /// A paragraph for each record, for people.
  public static let card = Format(
    "card",
    isForPerson: true,
    append: { $0.appendCard($1, bytes: $2, $3, to: &$4) },
    // For escapes, `\xff`, and for margins, which follow at least half of the narrowest card's
    // width each.
    growth: 6 * 2
  )
}

extension EncodingPlan {
  private static let labelWidth = 16
  /// The indentation of a value's continuation lines.
  private static let margin = 2 + labelWidth
  /// The smallest width; a narrower terminal wraps lines itself.
  private static let leastWidth = 2 * margin

  /// Appends a record as a paragraph: the address, followed by a line per value.
  fileprivate func appendCard(
    _ record: Record,
    bytes: Span<UInt8>,
    _ added: AddedRow,
    to output: inout OutputSpan<UInt8>
  ) {
    let ip = ShortText(of: record.address, scratch: &output)
    for (field, column) in zip(fields, columns) {
      let isAddress = field == .ip
      let start = output.count
      if !isAddress { appendLabel(of: field, to: &output) }
      let before = output.count
      _ = appendCell(column, .max, of: record, ip: ip, bytes: bytes, added, to: &output)
      if output.count == before {
        output.removeLast(before - start)
      } else {
        if !isAddress { wrap(from: before, in: &output) }
        output.append(UInt8(ascii: "\n"))
      }
    }
    output.append(UInt8(ascii: "\n"))
  }

  /// Wraps a value that is longer than its line.
  private func wrap(from start: Int, in output: inout OutputSpan<UInt8>) {
    guard let width = layout.width, width >= Self.leastWidth,
      output.count - start > width - Self.margin
    else { return }
    let text = String(decoding: (start..<output.count).map { output.span[$0] }, as: UTF8.self)
    let length = output.count - start
    output.removeLast(length)
    let lines = wrapped(text, width: width, indent: (Self.margin, Self.margin))
    for byte in lines.utf8 { output.append(byte) }
  }

  private func appendLabel(of field: Field, to output: inout OutputSpan<UInt8>) {
    for _ in 0..<2 { output.append(UInt8(ascii: " ")) }
    let name = Array(
      field.name.split(separator: "_", omittingEmptySubsequences: false).joined(separator: " ").utf8
    )
    let width = output.append(forPerson: name.span, limit: .max)
    for _ in 0..<max(1, Self.labelWidth - width) { output.append(UInt8(ascii: " ")) }
  }
}
