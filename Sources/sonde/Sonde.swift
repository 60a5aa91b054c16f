import Glibc
import SondeSetup
import SondeCatalog
import SondeOptions
import SondeProviders
import SondeRecords
import SondeReport
import SondeSystem

/// The program: parses the command line, runs the command and exits with its status.
@main
struct Sonde {
  static func main() async {
    Surroundings.spareMemory()
    occupyClosedStreams()
    do throws(SystemError) {
      try Signals.begin()
    } catch {
      Diagnostics().error("no thread can be started: \(error); raise ulimit -u, -v or -d")
      exit(ExitStatus.inputOutput.rawValue)
    }
    let arguments = CommandLine.arguments.dropFirst()
    // The Swift runtime reads the arguments from there; without it there seem to be none.
    if arguments.isEmpty, unsafe access("/proc/self/cmdline", R_OK) != 0 {
      Diagnostics().error("the arguments cannot be read: /proc is not mounted")
      exit(ExitStatus.inputOutput.rawValue)
    }
    exit(await run(Array(arguments)).rawValue)
  }

  /// Replaces closed standard streams by descriptors that fail with EBADF, so that no file opened
  /// later takes their place.
  private static func occupyClosedStreams() {
    for (stream, wrongMode) in [
      (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY),
    ] where fcntl(stream, F_GETFD) < 0 {
      // The lowest free number, which is this one.
      _ = unsafe open("/dev/null", wrongMode)
    }
  }

  private static func run(_ arguments: [String]) async -> ExitStatus {
    let environment = Environment.read()
    do {
      let request = try CommandRequest(
        arguments: arguments,
        environment: environment,
        configuration: ConfigurationFile.readAll(environment: environment)
      )
      switch request {
      case .help(let command):
        let layout = HelpLayout(width: HelpCommand.width)
        return await StandardOutput.write(Help.text(for: command, in: layout))
      case .version: return await StandardOutput.write(Version.text)
      case .fieldsHelp:
        let added = AddedSource.shown.map { (name: $0.usage, columns: $0.columnNames) }
        return await StandardOutput.write(Field.help(sources: Provider.sourceNames, added: added))
      case .fieldsDescription(let invocation):
        let context = try Context(invocation, environment: environment).openingSources()
        let columns = context.addedColumns
        let text = Field.description(sources: Provider.sourceNames, added: columns)
        return await StandardOutput.write(String(decoding: text, as: UTF8.self))
      case .run(let invocation): return try await run(invocation, environment)
      }
    } catch {
      return report(error, by: Diagnostics())
    }
  }

  /// Reports the error that ended the program, and returns its exit status.
  private static func report(_ error: any Error, by diagnostics: Diagnostics) -> ExitStatus {
    switch error {
    case let error as UsageError:
      diagnostics.usage(error)
      return .usage
    case let error as UnreadableInputsError:
      for reason in error.reasons { diagnostics.error(reason.explained(isFile: error.areFiles)) }
      return error.isMisuse ? .usage : .inputOutput
    default:
      diagnostics.error("\(error)")
      return .inputOutput
    }
  }

  private static func run(
    _ invocation: Invocation,
    _ environment: [String: String]
  ) async throws -> ExitStatus {
    if !invocation.command.isAboutItself { try NotText.check() }
    let unopened = try PrivacySetup(Context(invocation, environment: environment)).opened()
    do {
      return try await run(unopened)
    } catch {
      return report(error, by: Diagnostics(anonymizer: unopened.anonymizer))
    }
  }

  private static func run(_ unopened: Context) async throws -> ExitStatus {
    if let file = unopened.options.unreadFile {
      unopened.console.note("\(file); its settings are not used")
    }
    let chosen = try DatabaseSetup(unopened).chosen()
    try Needs(of: chosen) { FileStatus(path: $0)?.size ?? 0 }.check()
    let context = try chosen.openingSources()
    try PrivacySetup(context).check()
    switch context.command {
    case .scan, .check: return try await ScanCommand.run(context)
    case .lookup: return try await LookupCommand.run(context)
    case .me: return try await MeCommand.run(context)
    case .plan: return try await PlanCommand.run(context)
    case .extract: return try await ExtractCommand.run(context)
    case .annotate: return try await AnnotateCommand.run(context)
    case .summary: return try await SummaryCommand.run(context)
    case .block: return try await BlockCommand.run(context)
    case .guard: return try await GuardCommand.run(context)
    case .upgrade: return try await UpgradeCommand.run(context)
    case .compare: return try await CompareCommand.run(context)
    case .diff: return try await DiffCommand.run(context)
    case .watch: return try await WatchCommand.run(context)
    case .outages: return try await OutagesCommand.run(context)
    case .cache: return try await CacheCommand.run(context)
    case .quota: return try await QuotaCommand.run(context)
    case .tables: return try await TablesCommand.run(context)
    case .status: return try await StatusCommand.run(context)
    case .serve: return try await ServeCommand.run(context)
    case .completions: return await CompletionsCommand.run(context)
    case .help: return await HelpCommand.run(context)
    }
  }
}
