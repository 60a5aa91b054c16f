extension Session {
  /// Finds the places of keys, within a transaction.
  ///
  /// - Returns: A place for each key, `Place.none` where there is none.
  func locate(_ keys: [Int64]) throws(StoreError) -> [Place] {
    var places: [Place] = []
    places.reserveCapacity(keys.count)
    var missing: [Missing] = []
    for (index, key) in keys.enumerated() {
      let place = tail[key]
      places.append(place)
      if place == .none { missing.append(Missing(key: key, index: index)) }
    }
    if runs.isEmpty || missing.isEmpty { return places }
    missing.sort { $0.key < $1.key }
    for run in runs where !run.fences.isEmpty {
      try search(run, for: missing, &places)
      missing.removeAll { places[$0.index] != .none }
      if missing.isEmpty { break }
    }
    return places
  }

  private struct Missing {
    var key: Int64
    var index: Int
  }

  /// Looks in one run for keys in ascending order.
  private func search(
    _ run: Run,
    for missing: [Missing],
    _ places: inout [Place]
  ) throws(StoreError) {
    var (index, row) = (0, 0)
    while index < missing.count {
      guard let next = run.row(of: missing[index].key, from: row) else {
        index += 1
        continue
      }
      row = next
      let fence = row + 1 < run.fences.count ? run.fences[row + 1] : .max
      var end = index + 1
      while end < missing.count, missing[end].key < fence { end += 1 }
      let bytes = try rows.row(run.first + Int64(row), in: database)
      var start = 0
      for entry in missing[index..<end] {
        places[entry.index] = RunRow.place(bytes.span, of: entry.key, from: &start)
      }
      index = end
    }
  }
}
