import SondeAddresses
import SondeRecords

extension CompiledDatabase {
  /// Creates the record of each address, like ``LocalDatabase/findings(of:bytes:)``; after an
  /// error, `bytes` may have grown.
  func findings(of addresses: [Address], bytes: inout [UInt8]) throws(Damage) -> [Record] {
    var places: [Finding] = []
    places.reserveCapacity(addresses.count)
    try places.append(addingCapacity: addresses.count) { output throws(Damage) in
      try locate(addresses.span, into: &output)
    }
    var records: [Record] = []
    records.reserveCapacity(addresses.count)
    for index in addresses.indices {
      var record = Record(address: addresses[index], status: .unknown)
      if places[index].value != .nothing { try fill(&record, from: places[index], &bytes) }
      records.append(record)
    }
    return records
  }

  func answerNumbers(of addresses: [Address]) throws(Damage) -> AnswerNumbers {
    var places: [Finding] = []
    try places.append(addingCapacity: addresses.count) { output throws(Damage) in
      try locate(addresses.span, into: &output)
    }
    return AnswerNumbers(table: self, numbers: places.map(\.value.bits))
  }

  @inline(__always)
  private func fill(
    _ record: inout Record,
    from finding: Finding,
    _ bytes: inout [UInt8]
  ) throws(Damage) {
    try CompiledAnswer.fill(
      &record,
      from: mapping,
      at: finding.value.offset,
      limit: header.layout.answersEnd,
      texts: &bytes
    )
    // Only an entry without any field has a message.
    guard record[.message].isEmpty else { return }
    record.status = .ok
    record.source = header.source
    record.fetchedAt = header.date
    if let address = record.address {
      record[.network] = bytes.append(networkOf: address, as: finding.form)
    }
  }
}
