import SondeAddresses
public import SondeRecords

extension Comparison {
  /// Empty counts.
  public var emptyCounts: ComparisonCounts {
    ComparisonCounts(sources: sources.count, hasTruth: truth != nil)
  }

  /// What the sources say in a record that this comparison has made, in order; empty for an entry
  /// that no source is asked about.
  public func opinions(of record: Record, bytes: Span<UInt8>) -> [Opinion] {
    guard let address = record.address, address.specialPurpose == nil else { return [] }
    let texts = record.foundTexts(columns.count, in: bytes)
    let width = Self.columns(of: "", hasTruth: truth != nil).count
    let first = texts.count - width * sources.count
    return stride(from: first, to: texts.count, by: width).map { Opinion(texts[$0...]) }
  }

  /// The true place of a record's address; `nil` if it is not known.
  public func truth(of record: Record) -> TruePlace? {
    record.address.flatMap { truth?.places(of: [$0])[0] }
  }
}

extension Opinion {
  /// Reads the values of a source's columns.
  fileprivate init(_ texts: ArraySlice<String>) {
    self.init()
    let first = texts.startIndex
    status = Status.allCases.first { $0.name == texts[first] } ?? .unknown
    (countryCode, city) = (texts[first + 1], texts[first + 2])
    position = GeographicPosition(
      latitude: Double(texts[first + 3]) ?? .nan,
      longitude: Double(texts[first + 4]) ?? .nan
    )
    asn = UInt32(texts[first + 5]) ?? 0
  }
}
