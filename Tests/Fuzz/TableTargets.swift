#if DEBUG
  import SondeAddresses
  import SondeDatabases
  import SondeTables

  @testable import SondeCatalog
  @testable import SondeAnnotate
  @testable import SondeCounting
  @testable import SondeInputs
  @testable import SondeLists
  @testable import SondeRecords
  @testable import SondeUpgrade

  extension FuzzTarget {
    /// Files of records, logs that are annotated, and tables of networks.
    static let tables = [
      FuzzTarget("upgrade") { upgrade($0) },
      FuzzTarget("summary") { summarize($0) },
      FuzzTarget("annotate") { annotate($0) },
      FuzzTarget("table") { readTable($0) },
      FuzzTarget("list") { bytes in
        for list in [PublishedList.aws, .googleCloud, .tor] {
          _ = ListVerdict(of: bytes, as: list, former: 0)
        }
      },
    ]

    private static func upgrade(_ bytes: [UInt8]) {
      var bytes = FuzzBytes(bytes)
      let piece = bytes.size()
      let all = bytes.all
      guard let layout = try? RecordLayout.recognize(all.span, isLast: true, name: "f") else {
        return
      }
      let window = RowWindow()
      var parser = RecordParser(layout, name: "f", fallbacks: [.libloc], window: window)
      var (begin, end, count, output) = (0, 0, 0, [UInt8]())
      while !parser.isDone {
        var entries = EntryBlock()
        let isLast = end == all.count
        let text = all.span.extracting(begin..<end)
        let used = parser.parse(text, isLast: isLast, into: &entries, limit: 5)
        for _ in entries.block.records {
          output += window[UInt64(count)].bytes
          count += 1
        }
        begin += used
        if isLast, begin == end { break }
        if used == 0 {
          precondition(!isLast || parser.isDone, "it does not go on")
          end = min(all.count, end + piece)
        }
      }
      precondition(output + all[begin...] == all, "not every byte came back")
    }

    private static func summarize(_ bytes: [UInt8]) {
      var bytes = FuzzBytes(bytes)
      let keepsAll = bytes.byte() & 1 == 1
      let all = bytes.all
      guard case .records(let form) = RecordForm.recognize(all.span, isLast: true) else { return }
      var (rows, value, start) = (RecordRows(form), RecordValue(keepsAll: keepsAll), 0)
      let book = SummaryBook(SummaryRules())
      while case .row(let lead, let end) = rows.next(in: all.span, from: start, isLast: true) {
        precondition(start <= lead && lead <= end && end > start && end <= all.count)
        if value.read(rows, form, in: all.span) == nil { value.count(in: book) }
        start = end
      }
    }

    private static func annotate(_ bytes: [UInt8]) {
      var bytes = FuzzBytes(bytes)
      let kind = bytes.byte()
      let piece = bytes.size()
      let encoder = RecordEncoder(format: .csv)
      let style: any AnnotationStyle =
        switch kind % 3 {
        case 0: JSONStyle(encoder: encoder, key: "sonde")
        case 1: BracketStyle(encoder: encoder, dims: false)
        default:
          ColumnsStyle(encoder: encoder, columns: [], delimiter: nil, isSpreadsheet: kind & 64 != 0)
        }
      let all = bytes.all
      var cutter = style.cutter(of: "f", picking: nil, refangs: false)
      var (begin, end, searched) = (0, 0, 0)
      repeat {
        end = min(all.count, end + piece)
        let text = all.span.extracting(begin..<end)
        guard let cut = try? cutter.cut(text, from: searched, isLast: end == all.count) else {
          return
        }
        precondition(0...text.count ~= cut)
        searched = text.count - cut
        var block = LineBlock()
        block.bytes = Array(all[begin..<begin + cut])
        if cut > 0 { cutter.searcher.search(&block) }
        begin += cut
      } while end < all.count
      precondition(begin == end, "the end is no whole line")
    }

    private static func readTable(_ bytes: [UInt8]) {
      var bytes = FuzzBytes(bytes)
      let isPublished = bytes.byte() & 1 == 1
      var parser =
        isPublished ? TableParser(published: [], named: "t") : TableParser(path: "t")
      let piece = bytes.size()
      let all = bytes.all
      var (begin, end) = (0, 0)
      do throws(TableFileError) {
        while end < all.count {
          end = min(all.count, end + piece)
          begin += try parser.read(all.span.extracting(begin..<end), isLast: false)
        }
        _ = try parser.read(all.span.extracting(begin..<end), isLast: true)
      } catch {
        return
      }
      guard let table = try? parser.table() else { return }
      for address in addresses {
        guard let match = table.match(address) else { continue }
        for column in table.columns.indices { _ = table.text(column, of: match) }
      }
    }
  }
#endif
