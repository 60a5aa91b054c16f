/// What those sources that know at once say of the addresses of some records.
///
/// It is a class so that encoding a record touches one reference count, not one for each array.
public final class AddedBlock: Sendable {
  /// The bytes of all values.
  let bytes: [UInt8]
  /// Where each value ends; it begins where the one before does.
  private let ends: [Int]
  /// How many values an address has.
  private let width: Int

  /// Says nothing.
  public static let none = AddedBlock(AddedValues(), width: 0)

  /// Takes the values of some addresses, as many for each.
  init(_ values: AddedValues, width: Int) {
    (bytes, ends, self.width) = (values.bytes, values.ends, width)
  }

  /// Joins what several sources say of so many addresses, in the order of the sources.
  convenience init(joining blocks: [AddedBlock], of count: Int) {
    var joined = AddedValues()
    for index in 0..<count {
      for block in blocks {
        let row = AddedRow(block, at: index)
        for column in 0..<block.width {
          joined.append(copying: row.bytes.span.extracting(row[column]))
        }
      }
    }
    self.init(joined, width: blocks.reduce(0) { $0 + $1.width })
  }

  /// Where a value of an address stands; nothing where there is none.
  @inline(__always)
  fileprivate func range(of column: Int, at index: Int) -> Range<Int> {
    guard column < width else { return 0..<0 }
    let place = index &* width &+ column
    return (place > 0 ? ends[place &- 1] : 0)..<ends[place]
  }

  /// How many bytes the values of an address have.
  @inline(__always)
  fileprivate func size(at index: Int) -> Int {
    guard width > 0 else { return 0 }
    return range(of: width &- 1, at: index).upperBound &- range(of: 0, at: index).lowerBound
  }
}

/// What sources say of one address: a row of their values.
struct AddedRow {
  private let block: AddedBlock
  private let index: Int

  static let none = AddedRow(.none, at: 0)

  /// Takes what is said of one of the addresses.
  init(_ block: AddedBlock, at index: Int) {
    (self.block, self.index) = (block, index)
  }

  /// The bytes of all values, of other rows, too.
  @inline(__always)
  var bytes: [UInt8] { block.bytes }

  /// How many bytes the values have.
  var size: Int { block.size(at: index) }

  /// Where the value of a column stands; nothing where there is none.
  subscript(column: Int) -> Range<Int> { block.range(of: column, at: index) }

  /// The texts of a list, joined by blanks.
  func joined(_ column: Int) -> [UInt8] {
    bytes[self[column]].map { $0 == AddedValues.separator ? UInt8(ascii: " ") : $0 }
  }
}
