import SondeNames
import SondeOptions
import SondeRecords
import SondeScanner
import SondeSources
import SondeStore

extension Context {
  /// What counts for a plan what the sources would be asked that `--with` names.
  ///
  /// - Parameter kept: What is kept from run to run.
  /// - Returns: The sources' counts, none yet.
  /// - Throws: ``UsageError`` for one that cannot be asked as it is set, and `NameError` where no
  ///   resolver can be had.
  func sourcePlans(_ kept: StoreSetup.Kept) throws -> SourcePlans {
    let memory = SourceMemory(
      in: kept.answers as? any KeptTexts,
      youngerThan: options.cacheTTL
    )
    var plans = SourcePlans()
    for source in awaited {
      switch source.name {
      case "names":
        plans.names = try NamePlan(
          asking: options.resolver ?? .system,
          aboutPrivate: options.privateNames,
          keptIn: memory
        )
      case "owner":
        plans.owner = try OwnerPlan(
          at: ownerPlaces(),
          reuse: options.ownerReuse,
          keptIn: memory
        )
      default: break
      }
    }
    return plans
  }
}
