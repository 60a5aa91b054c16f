public import SondeInputs
public import SondeSummary
import SondeSystem

extension SummaryScan {
  /// Counts the records in the database at `path` without asking any provider.
  ///
  /// - Throws: ``InputError`` if it cannot be read.
  public static func counts(ofTable path: String) throws(InputError) -> SummaryCounts {
    let book = SummaryBook(SummaryRules())
    let size = FileStatus(path: path)?.size ?? 0
    let table = try RecordDatabaseReader(path: path, size: UInt64(clamping: size), book)
    while true {
      let (isLast, failure) = table.read()
      if let failure { throw failure }
      if isLast { return book.counts }
    }
  }
}
