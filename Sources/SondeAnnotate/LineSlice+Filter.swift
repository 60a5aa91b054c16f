import SondeAddresses
import SondeInputs
import SondeRecords

extension LineSlice {
  /// Drops the lines that the rules exclude whatever the answers, and the addresses that need none.
  ///
  /// `isAsked` returns whether a request may be made for an address.
  mutating func choose(by rules: LineRules, asking isAsked: (Address) -> Bool) {
    guard rules.filter != nil || rules.insertsNothing else { return }
    var needed = [Bool](repeating: !rules.insertsNothing, count: block.subjects.all.count)
    if let filter = rules.filter, !block.passes {
      needed = [Bool](repeating: false, count: needed.count)
      judgeLines(by: filter, insertsNothing: rules.insertsNothing, &needed)
      block.dropExcluded()
    }
    // Those without a request are known anyway, and counted as such.
    let others = block.occurring
    for number in needed.indices where !needed[number] {
      let isKnown = block.subjects.all[number].address.map { !isAsked($0) } ?? true
      if !isKnown || !others[number] { block.subjects.skip(number) }
    }
  }

  /// Sets for each line whether it is kept, excluded or awaits answers, and marks in `needed` the
  /// subjects whose answers matter.
  private mutating func judgeLines(
    by filter: LineFilter,
    insertsNothing: Bool,
    _ needed: inout [Bool]
  ) {
    let entries = filter.judgesPlaces ? [] : verdicts(by: filter)
    let findings = filter.judgesPlaces ? self.findings(by: filter) : []
    var position = 0
    for index in block.lines.indices.dropFirst(block.hasHeader ? 1 : 0) {
      var found: FilterFindings?
      if filter.judgesPlaces {
        found = filter.findings(
          of: place(ofLine: index, after: &position, filter),
          block.sightings.isEmpty ? nil : block.sightings[index]
        )
      }
      let insertions = block.insertions(of: index..<index + 1)
      var (best, isMatching) = (FilterVerdict.no, false)
      for insertion in insertions {
        let subject = Int(block.insertions[insertion].subject)
        guard block.isAddress(subject) else { continue }
        isMatching = true
        let verdict =
          if let found { filter.verdict(of: findings[subject], at: found) } else {
            entries[subject]
          }
        if verdict == .yes || best == .no { best = verdict }
        if verdict == .open { openSubjects.append(subject) }
      }
      block.lines[index].selection = LineBlock.Selection(best, isMatching: isMatching)
      if best == .open, let found { block.setPlace(found, ofLine: index) }
      if insertsNothing {
        if best == .open { for subject in openSubjects { needed[subject] = true } }
      } else if best != .no {
        for insertion in insertions {
          let subject = block.insertions[insertion].subject
          if subject != SubjectList.nothing { needed[Int(subject)] = true }
        }
      }
      openSubjects.removeAll(keepingCapacity: true)
    }
  }

  /// The place of a line; `position` is a place before it up to which line ends are counted.
  private mutating func place(
    ofLine index: Int,
    after position: inout Int,
    _ filter: LineFilter
  ) -> Place {
    guard filter.countsLines else { return place }
    let start = block.lines[index].range.lowerBound
    place.line += UInt64(block.bytes.span.countNewlines(position..<start))
    position = start
    return place
  }

  /// The verdicts about the subjects before any request; any for items that are not addresses.
  private mutating func verdicts(by filter: LineFilter) -> [FilterVerdict] {
    let subjects = block.subjects.all
    let addresses = subjects.map { $0.address ?? Address(high: 0, low: 0) }
    if let all = filter.verdicts(byNetworksOf: addresses) { return all }
    var all: [FilterVerdict] = []
    all.reserveCapacity(subjects.count)
    for subject in subjects {
      guard let address = subject.address else {
        all.append(.no)
        continue
      }
      let isPlain = subject.text.isEmpty
      if isPlain, let known = verdicts.verdict(of: address) {
        all.append(known)
        continue
      }
      let record = Record(subject, address)
      let verdict = filter.verdict(beforeAsking: record, bytes: block.words.span)
      if isPlain { verdicts.insert(verdict, of: address) }
      all.append(verdict)
    }
    return all
  }

  private func findings(by filter: LineFilter) -> [FilterFindings] {
    block.subjects.all.map {
      filter.findings(beforeAsking: Record($0, $0.address), bytes: block.words.span)
    }
  }
}

extension LineBlock.Selection {
  fileprivate init(_ verdict: FilterVerdict, isMatching: Bool) {
    switch verdict {
    case .yes: self = .kept
    case .open: self = .awaited
    case .no: self = isMatching ? .excluded : .unmatched
    }
  }
}

extension Record {
  /// The record of an address before any request; its zone is among the words of its block.
  fileprivate init(_ subject: SubjectList.Subject, _ address: Address?) {
    self.init(address: address, status: .ok)
    let zone = subject.text
    self[.item] = TextRange(offset: UInt32(zone.range.lowerBound), count: UInt32(zone.range.count))
  }
}
