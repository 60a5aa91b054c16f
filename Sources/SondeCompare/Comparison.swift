public import SondeAddresses
public import SondeRecords

/// The sources of a comparison, their columns, and the record that their answers make.
public struct Comparison: Sendable {
  /// The sources in order.
  public let sources: [ComparedSource]

  /// The true places; `nil` if they are not known.
  public let truth: Truth?

  /// The columns in the order of their values in a record: the verdict's, then each source's.
  public let columns: [AddedColumn]

  /// Whether any source is asked over the network, so that its answers may come from the cache.
  private let hasRemote: Bool

  /// Creates a comparison of sources; `truth` adds the true country and the distance of each source.
  public init(_ sources: [ComparedSource], truth: Truth? = nil) {
    (self.sources, self.truth) = (sources, truth)
    hasRemote = sources.contains { !$0.isLocal }
    columns =
      Column.verdict + (truth == nil ? [] : [Column.truth])
      + sources.flatMap { Self.columns(of: $0.name, hasTruth: truth != nil) }
  }

  /// The columns of the verdict.
  private enum Column {
    static let agreement = AddedColumn(name: "agreement", .number)
    static let distance = AddedColumn(name: "distance_km", .number)
    static let asAgreement = AddedColumn(name: "as_agreement", .number)
    static let confidence = AddedColumn(name: "confidence")
    static let truth = AddedColumn(name: "truth_country_code")
    static let verdict = [agreement, distance, asAgreement, confidence]
  }

  /// The columns of a source.
  static func columns(of source: String, hasTruth: Bool) -> [AddedColumn] {
    let columns: [(String, AddedColumn.Form)] = [
      ("status", .status), ("country_code", .text), ("city", .text), ("latitude", .number),
      ("longitude", .number), ("asn", .number),
    ]
    return (columns + (hasTruth ? [("km", .number)] : [])).map {
      AddedColumn(name: "\(source)_\($0.0)", $0.1)
    }
  }

  /// The names of the columns before those of the sources.
  static func fixedColumns(hasTruth: Bool) -> [String] {
    let fields: [Field] = [.ip, .status, .countryCode, .message, .line]
    return fields.map(\.name) + Column.verdict.map(\.name) + (hasTruth ? [Column.truth.name] : [])
  }

  /// The columns of the output, in order.
  public var fields: [Field] {
    let verdict: [Field] = [
      .ip, .status, .countryCode, .added(Column.agreement), .added(Column.distance),
      .added(Column.asAgreement), .added(Column.confidence), .message, .line,
    ]
    return verdict + columns.dropFirst(Column.verdict.count).map(Field.added)
  }

  /// The columns of a table for people: the country of each source beside the verdict.
  public var tableFields: [Field] {
    let verdict: [Field] = [
      .ip, .status, .countryCode, .added(Column.agreement), .added(Column.distance),
      .added(Column.confidence),
    ]
    let countries = columns.filter { column in
      sources.contains { column.name == "\($0.name)_country_code" }
    }
    return verdict + (truth == nil ? [] : [.added(Column.truth)]) + countries.map(Field.added)
  }

  /// The records of addresses, from the answers of each source in order.
  public func records(
    of addresses: [Address],
    from answers: [RecordBlock]
  ) -> RecordBlock {
    var block = RecordBlock()
    let truths = truth?.places(of: addresses)
    for index in addresses.indices {
      let opinions = answers.map { Opinion($0.records[index], of: $0) }
      let verdict = JointVerdict(of: opinions)
      var record = Record(address: addresses[index], status: verdict.status)
      // Where a map shows the address; it is no column.
      record.latitude = verdict.position?.latitude ?? .nan
      record.longitude = verdict.position?.longitude ?? .nan
      record.isCached = hasRemote && isCached(answers, at: index)
      if !verdict.countryCode.isEmpty {
        record[.countryCode] = block.append(text: verdict.countryCode)
      }
      let message = message(answers, at: index, isAnswered: verdict.status == .ok)
      if !message.isEmpty { record[.message] = block.append(text: message.confined) }
      block.records.append(record)
      block.add(to: index) { append(verdict, opinions, truths?[index], to: &$0) }
    }
    return block
  }

  /// Whether all answers of web APIs came from the cache.
  private func isCached(_ answers: [RecordBlock], at index: Int) -> Bool {
    zip(sources, answers).allSatisfy { $0.isLocal || $1.records[index].isCached }
  }

  private func append(
    _ verdict: JointVerdict,
    _ opinions: [Opinion],
    _ place: TruePlace?,
    to values: inout FoundWriter
  ) {
    values.append(number: verdict.agreement?.thousandths)
    values.append(text: verdict.distance.map(String.init) ?? "")
    values.append(number: verdict.asAgreement?.thousandths)
    values.append(text: verdict.confidence?.rawValue ?? "")
    if truth != nil { values.append(text: place?.countryCode ?? "") }
    for opinion in opinions {
      values.append(status: opinion.status)
      values.append(text: opinion.countryCode)
      values.append(text: opinion.city)
      values.append(number: opinion.position?.latitude)
      values.append(number: opinion.position?.longitude)
      values.append(text: opinion.asn == 0 ? "" : String(opinion.asn))
      if truth != nil {
        values.append(text: opinion.distance(to: place).map(String.init) ?? "")
      }
    }
  }

  /// What sources say of an answer that they lack; if another source has answered, only of faults.
  private func message(_ answers: [RecordBlock], at index: Int, isAnswered: Bool) -> String {
    var messages: [String] = []
    for (source, block) in zip(sources, answers) {
      guard !block.records[index][.message].isEmpty else { continue }
      let record = block.records[index]
      guard record.status != .unknown || !isAnswered,
        let message = block.text(.message, of: record)
      else { continue }
      if message.hasPrefix(source.provider) {
        // Of several databases, each has another name than their provider.
        let isNamed = !source.isLocal || source.provider == source.name
        messages.append(isNamed ? message : source.name + message.dropFirst(source.provider.count))
      } else {
        messages.append("\(source.name): \(message)")
      }
    }
    return messages.joined(separator: "; ")
  }
}

extension Opinion {
  /// The whole kilometres to the true place; `nil` if either is unknown.
  func distance(to truth: TruePlace?) -> Int? {
    guard let position, let place = truth?.position else { return nil }
    return position.wholeDistance(to: place)
  }
}
