import SondeLists
import SondeOptions
import SondeProviders
import SondeRecords
import SondeReport

extension Context {
  /// The columns that want an answer of their own: those that `--fields` and `--where` name.
  var extraFields: Set<Field> { options.extraFields.union(filter?.fields ?? []) }

  /// What records must be like, where it is known what the inputs are called and have counted.
  func filter(named inputs: [String], traffic: Traffic?) -> Filter? {
    guard var filter else { return nil }
    (filter.inputs, filter.traffic) = (inputs, traffic)
    return filter
  }

  /// Refuses a condition of what a summary does not know.
  func checkOffset(_ filter: Filter?) throws(UsageError) {
    guard command == .summary, filter?.fields.contains(.offset) ?? false else { return }
    throw valueError("where", ": offset is not known of what summary counts: scan takes it")
  }

  /// Reads the condition that `--where` gives, in which the columns of the opened sources have names.
  ///
  /// - Parameter text: The condition.
  /// - Returns: What records must be like.
  /// - Throws: ``UsageError`` with the condition and a mark below what is wrong.
  func filter(_ text: String) throws(UsageError) -> Filter {
    do throws(FilterError) {
      let filter = try Filter(
        text,
        adding: added,
        answeredBy: Provider.sourceNames,
        missingOption: { column in option(for: column) }
      ) { path throws(FilterFileError) in
        do throws(TableFileError) {
          return try TableFile(path: path).table()
        } catch {
          throw FilterFileError("\(error)")
        }
      }
      if command == .check, let field = filter.answers.first {
        let condition = origin(of: "where").spelling
        console.note("check asks nobody, so \(condition) finds no value in \(field.name)")
      }
      return filter
    } catch {
      let column = error.place.lowerBound + 1
      var misuse = valueError("where", ", column \(column): \(error.reason)")
      misuse.isAboutSetup = true
      misuse.details = error.marked(in: text).map { "  " + $0 }
      throw misuse
    }
  }
}

extension Context {
  /// The option that a column wants; `nil` for one that no source adds.
  func option(for column: String) -> String? {
    guard let source = AddedSource.all.first(where: { $0.mayAdd(column) }) else { return nil }
    let option = "--with \(source.usage)"
    return asks(source) ? option : "\(option), which \(command.rawValue) does not take"
  }
}
