import SondeLists
import SondeOptions
import SondeProviders
import SondeRecords
import SondeReport
import SondeSummary
import SondeSystem

extension Context {
  /// The requested columns that need a look-up of their own: those in `--fields`, `--where`
  /// and `--by`.
  var extraFields: Set<Field> {
    options.extraFields.union(filter?.fields ?? [])
      .union(options.by.joined().compactMap { Field(name: $0) })
  }

  /// The condition of `--where`, with the names of the inputs and their traffic.
  func filter(named inputs: [String], traffic: Traffic?) -> Filter? {
    guard var filter else { return nil }
    (filter.inputs, filter.traffic) = (inputs, traffic)
    return filter
  }

  /// Rejects a condition on fields that the command does not know.
  func checkFields(of filter: Filter?) throws(UsageError) {
    let fields = filter?.fields ?? []
    if command == .summary, fields.contains(.offset) {
      throw valueError("where", ": offset is not known of what summary counts: scan takes it")
    }
    guard command == .annotate else { return }
    if fields.contains(.offset) {
      throw valueError("where", ": offset is not known of lines: scan takes it")
    }
    guard let total = Field.traffic.first(where: fields.contains) else { return }
    throw valueError(
      "where",
      ": \(total.name) is known only at the end of the input, and lines are written before: scan "
        + "takes it"
    )
  }

  /// Parses the condition of `--where`, in which the columns of opened sources have names.
  ///
  /// - Throws: ``UsageError`` with the condition and a mark below the error.
  func filter(_ text: String) throws(UsageError) -> Filter {
    let (zone, now) = (try SummarySetup.zone(self), Timestamp.now.milliseconds)
    do throws(FilterError) {
      let filter = try Filter(
        text,
        adding: added,
        answeredBy: Provider.sourceNames,
        missingOption: { column in option(for: column) },
        moment: { TimeBound(text: $0)?.milliseconds(in: zone, now: now) }
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

  /// The option that provides a column; `nil` if no source does, or the name is nearly a field's.
  func option(for column: String) -> String? {
    guard let source = AddedSource.all.first(where: { $0.mayAdd(column) }) else {
      guard case .unknown(_, nearest: nil) = FieldListError.unknown(column),
        AddedSource.mayBeAdded(column)
      else { return nil }
      return "--with \(column.prefix { $0 != "_" })=FILE"
    }
    let option = "--with \(source.usage)"
    return asks(source) ? option : "\(option), which \(command.rawValue) does not take"
  }
}
