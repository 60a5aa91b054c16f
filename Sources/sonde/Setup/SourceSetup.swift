import Records
import Scanner
import System

extension Context {
  /// The same context with the sources opened that `--with` names, so that everything about them that
  /// can be refused is before anything is written.
  ///
  /// - Throws: ``UsageError`` when one cannot be used, or `--fields` names a column that none adds.
  func openingSources() throws(UsageError) -> Context {
    var context = self
    for (index, named) in options.with.enumerated() {
      let name = named.source.name
      if options.with.prefix(index).contains(where: { $0.source == named.source }) {
        throw usageError("--with \(name) stands there twice: put its networks into one table")
      }
      do throws(TableFileError) {
        context.added.append(try named.open())
      } catch {
        throw setupError("--with \(name): \(error)")
      }
    }
    do throws(FieldListError) {
      try options.fields?.check(against: context.addedColumns)
    } catch {
      throw usageError("--fields: \(error)")
    }
    return context
  }

  /// The columns that the sources add, in their order.
  var addedColumns: [AddedColumn] { added.flatMap(\.columns) }

  /// The columns that the options pick, or the usual ones and those that sources add.
  func fields(usual: [Field], adding added: [AddedColumn]) -> [Field] {
    options.fields?.fields(usual: usual, with: added) ?? usual + added.map(Field.added)
  }
}

extension NamedSource {
  /// The value of `--with` in one spelling, for the same file the same.
  var spelling: String {
    source.name + (path.isEmpty ? "" : "=\(resolvedPath(path))") + (key.map { ",key=\($0)" } ?? "")
  }
}
