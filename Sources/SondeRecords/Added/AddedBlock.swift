/// The values that immediate sources add to some records' addresses.
///
/// It is a class, so that encoding a record touches one reference count instead of one per array.
public final class AddedBlock: Sendable {
  let bytes: [UInt8]
  /// The end of each value; it begins at the end of the previous one.
  private let ends: [Int]
  /// The number of values per address.
  private let width: Int

  /// A block without values.
  public static let none = AddedBlock(AddedValues(), width: 0)

  init(_ values: AddedValues, width: Int) {
    (bytes, ends, self.width) = (values.bytes, values.ends, width)
  }

  /// Joins the blocks of several sources for some addresses, in the order of the sources.
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

  /// The position of a value; empty if there is none.
  @inline(__always)
  fileprivate func range(of column: Int, at index: Int) -> Range<Int> {
    guard column < width else { return 0..<0 }
    let place = index &* width &+ column
    return (place > 0 ? ends[place &- 1] : 0)..<ends[place]
  }

  @inline(__always)
  fileprivate func size(at index: Int) -> Int {
    guard width > 0 else { return 0 }
    return range(of: width &- 1, at: index).upperBound &- range(of: 0, at: index).lowerBound
  }
}

/// The values that sources add to one address.
struct AddedRow {
  private let block: AddedBlock
  private let index: Int

  static let none = AddedRow(.none, at: 0)

  init(_ block: AddedBlock, at index: Int) { (self.block, self.index) = (block, index) }

  /// The bytes of all values, including other rows.
  @inline(__always)
  var bytes: [UInt8] { block.bytes }

  var size: Int { block.size(at: index) }

  /// The position of a column's value; empty if there is none.
  subscript(column: Int) -> Range<Int> { block.range(of: column, at: index) }

  /// The texts of a list, joined by blanks.
  func joined(_ column: Int) -> [UInt8] {
    bytes[self[column]].map { $0 == AddedValues.separator ? UInt8(ascii: " ") : $0 }
  }
}
