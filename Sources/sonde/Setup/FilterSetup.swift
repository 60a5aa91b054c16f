import SondeCatalog
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
    options.extraFields.union(filters.flatMap(\.fields))
      .union(options.by.joined().compactMap { Field(name: $0) })
  }

  /// The condition of `--where`, with the names of the inputs and the occurrences in them.
  func filter(named inputs: [String], sightings: Sightings?) throws(UsageError) -> Filter? {
    guard var filter else { return nil }
    (filter.inputs, filter.sightings) = (inputs, sightings)
    filter.zone = try SummarySetup.zone(self)
    return filter
  }

  /// All conditions.
  var filters: [Filter] { [filter, bad, good, when].compactMap(\.self) }

  /// Rejects a condition, given by the named option, on fields that the command does not know.
  func checkFields(of filter: Filter?, in name: String = "where") throws(UsageError) {
    let fields = filter?.fields ?? []
    if [.summary, .block].contains(command), fields.contains(.offset) {
      let reason = "offset is not known of what \(command.rawValue) counts: scan takes it"
      throw valueError(name, ": \(reason)")
    }
    if command == .summary, fields.contains(.hits) {
      throw valueError(name, ": hits is known only at the end of all inputs: scan takes it")
    }
    if command == .summary, filter?.dependsOnPlace ?? false,
      let total = Field.totals.first(where: fields.contains)
    {
      let reason = "summary takes it without fields of single lines: scan takes both"
      throw valueError(name, ": \(total.name) is a total, and \(reason)")
    }
    guard [.annotate, .guard].contains(command) else { return }
    if command == .guard, fields.contains(.line) {
      throw valueError(name, ": line is not known of logs that are followed: text is the line")
    }
    if fields.contains(.offset) {
      throw valueError(name, ": offset is not known of lines: scan takes it")
    }
    guard let total = Field.totals.first(where: fields.contains) else { return }
    let reason =
      command != .annotate
      ? "is of all hits of an address, not of one"
      : "is known only at the end of the input, and lines are written before"
    throw valueError(name, ": \(total.name) \(reason): scan takes it")
  }

  /// Parses the condition of `--where` or another option, in which opened sources' columns have names.
  ///
  /// - Throws: ``UsageError`` with the condition and a mark below the error.
  func filter(_ text: String, of name: String = "where") throws(UsageError) -> Filter {
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
      var misuse = valueError(name, ", column \(column): \(error.reason)")
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
