/// The hits of each entry of ``AddressCounts`` by what groupings need to know of an occurrence, with
/// the first and the last time.
public struct Occurrences: Sendable {
  /// The hits of an entry at occurrences that the groupings do not distinguish.
  struct Hits: Sendable {
    var count = 0
    /// The earliest and the latest time, in milliseconds since 1970 UTC; reversed if there is none.
    var first = Int64.max
    var last = Int64.min

    mutating func add(_ hits: Int, at times: ClosedRange<Int64>?) {
      count += hits
      guard let times else { return }
      (first, last) = (min(first, times.lowerBound), max(last, times.upperBound))
    }

    @inline(__always)
    mutating func add(at time: Int64?) {
      count &+= 1
      guard let time else { return }
      (first, last) = (min(first, time), max(last, time))
    }
  }

  /// What the groupings distinguish of an occurrence.
  struct Scene: Hashable, Sendable {
    /// The first second of its hour since 1970 UTC; `nil` if it has no time, or none is needed.
    var hour: Int64?
    /// The number of its input; 0 if none is needed.
    var input: UInt32 = 0
  }

  private let needsTime: Bool
  private let needsInput: Bool
  private(set) var scenes: [Scene] = []
  private var numbers: [Scene: UInt32] = [:]
  private var latest: (scene: Scene, number: UInt32)?
  /// The hits of entries in the first scene, by the number of the entry: usually it is the only one.
  private(set) var flat: [Hits] = []
  /// Those in other scenes, by the numbers of entry and scene.
  private(set) var cells: [UInt64: Hits] = [:]
  /// Those of records without an address, by profile and scene.
  private(set) var unaddressed: [UInt64: Hits] = [:]

  /// Creates empty counts for groupings, and by hour if `byTime` is true.
  public init(for groupings: [Grouping], byTime: Bool = false) {
    let parts = groupings.flatMap(\.parts)
    needsTime = byTime || parts.contains(where: \.isTime)
    needsInput = parts.contains(.input)
  }

  /// Counts one hit of each of some entries in an input, at times in milliseconds since 1970 UTC;
  /// `timeline` says in which hours these are.
  public mutating func count(
    _ entries: Span<UInt32>,
    at times: Span<Int64?>,
    on timeline: inout Timeline,
    ofInput input: UInt32
  ) {
    for index in entries.indices {
      let time = times[index]
      let hour = needsTime ? time.map { timeline.hour(of: $0) } : nil
      let (entry, scene) = (Int(entries[index]), number(hour, input))
      if scene == 0 {
        if entry >= flat.count { grow(to: entry) }
        flat[entry].add(at: time)
      } else {
        cells[Self.key(entry, scene), default: Hits()].add(at: time)
      }
    }
  }

  /// Counts hits of a question's address.
  ///
  /// `hour` is the first second of their hour, `times` are in milliseconds, since 1970 UTC.
  public mutating func count(
    _ hits: Int,
    of question: AddressCounts.Question,
    in hour: Int64?,
    at times: ClosedRange<Int64>?,
    ofInput input: UInt32
  ) {
    count(hits, of: question.entry, in: hour, at: times, ofInput: input)
  }

  /// Counts the hits of a record of an entry, or of a profile without an address.
  ///
  /// `hour` is the first second of their hour, `times` are in milliseconds, since 1970 UTC.
  public mutating func count(
    _ hits: Int,
    of entry: Int?,
    orOf profile: Profiles.ID,
    in hour: Int64?,
    at times: ClosedRange<Int64>?,
    ofInput input: UInt32
  ) {
    guard let entry else {
      let scene = number(hour, input)
      return unaddressed[Self.key(profile.index, scene), default: Hits()].add(hits, at: times)
    }
    count(hits, of: entry, in: hour, at: times, ofInput: input)
  }

  /// Counts hits of an entry.
  ///
  /// `hour` is the first second of their hour, `times` are in milliseconds, since 1970 UTC.
  private mutating func count(
    _ hits: Int,
    of entry: Int,
    in hour: Int64?,
    at times: ClosedRange<Int64>?,
    ofInput input: UInt32
  ) {
    let scene = number(hour, input)
    guard scene == 0 else {
      return cells[Self.key(entry, scene), default: Hits()].add(hits, at: times)
    }
    if entry >= flat.count { grow(to: entry) }
    flat[entry].add(hits, at: times)
  }

  @inline(never)
  private mutating func grow(to entry: Int) {
    flat += repeatElement(Hits(), count: max(entry + 1 - flat.count, flat.count / 2))
  }

  private mutating func number(_ hour: Int64?, _ input: UInt32) -> UInt32 {
    let scene = Scene(hour: needsTime ? hour : nil, input: needsInput ? input : 0)
    if let latest, latest.scene == scene { return latest.number }
    let number = numbers[scene] ?? UInt32(scenes.count)
    if number == scenes.count {
      scenes.append(scene)
      numbers[scene] = number
    }
    latest = (scene, number)
    return number
  }

  private static func key(_ entry: Int, _ scene: UInt32) -> UInt64 {
    UInt64(entry) << 32 | UInt64(scene)
  }

  /// All hits of entries with an address.
  func forEach(_ body: (_ entry: Int, _ scene: Int, _ hits: Hits) -> Void) {
    for (entry, hits) in flat.enumerated() where hits.count > 0 { body(entry, 0, hits) }
    for (key, hits) in cells { body(Int(key >> 32), Int(key & 0xffff_ffff), hits) }
  }
}
