import FoundationEssentials
import Glibc
import SondeSystem
import SondeWeb

/// `converter`: serves a page that converts currencies, or converts one amount on the terminal.
@main
struct Converter {
  private static let usage = """
    Usage: converter                    serves a page, and prints the link that opens it
           converter AMOUNT FROM TO     converts an amount: converter 100 USD CNY

    Currencies: RUB, CNY, EUR and USD, by the rates of the Moscow Exchange or, where it trades none,
    of the Bank of Russia. CONVERTER_URL replaces https://iss.moex.com.

    """

  private static let output = Descriptor(sharing: 1)

  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch arguments.count {
      case 0: exit(try await serve())
      case 1 where ["-h", "--help"].contains(arguments[0]):
        try output.write(usage)
        exit(0)
      case 3: exit(try await convert(arguments))
      default:
        tell("there must be an amount and two currencies: converter 100 USD CNY")
        exit(2)
      }
    } catch let error as SystemError {
      tell("cannot write to stdout: \(error)")
      exit(1)
    } catch {
      tell("\(error)")
      if case RatesError.setup = error { exit(2) } else { exit(1) }
    }
  }

  private static func serve() async throws -> Int32 {
    let signals = signals(SIGINT, SIGTERM)
    let hub = EventHub()
    let desk = try desk(hub)
    let server = try PageServer(desk, hub: hub)
    let work = Task { await desk.run() }
    tell("the link opens the page once, within 10 minutes; Ctrl-C ends the converter")
    try output.write(try await server.makeLink() + "\n")
    for await _ in signals { break }
    work.cancel()
    await server.stop()
    return 0
  }

  private static func desk(_ hub: EventHub = EventHub()) throws -> RateDesk {
    let environment = ProcessInfo.processInfo.environment
    let folder = UserFolders(environment: environment).cache
    let file = folder.map { WholeFile(path: $0 + "/converter.json") }
    return RateDesk(try MoscowExchange(environment: environment), keptIn: file, hub: hub)
  }
}

// MARK: - On the terminal

extension Converter {
  private static func convert(_ arguments: [String]) async throws -> Int32 {
    guard let amount = Amount(arguments[0]) else {
      tell("Not an amount: \(arguments[0].debugDescription)")
      return 2
    }
    let currencies = arguments[1...].compactMap { Currency(code: $0) }
    guard currencies.count == 2 else {
      tell("the currencies are \(Currency.allCases.map(\.code).joined(separator: ", "))")
      return 2
    }
    let desk = try desk()
    if await desk.isDue { await desk.load() }
    var status: Int32 = 0
    if case .failed(let error) = await desk.phase {
      tell("\(error)")
      if case .exchange = error { status = 1 }
    }
    guard let rates = await desk.rates else { return status == 0 ? 3 : status }
    let result = try rates.convert(amount.value, from: currencies[0], to: currencies[1])
    for currency in Currency.allCases where currencies.contains(currency) {
      guard let rate = rates[currency], let source = rate.source?.rawValue else { continue }
      tell("\(currency.code): \(rate.roubles) RUB, \(source), \(rate.date ?? "of an unknown day")")
    }
    if await desk.isDue { tell("these rates are \(max(0, Int(rates.age / .seconds(60)))) min old") }
    try output.write("\(result.text(sign: amount.sign ?? .point)) \(currencies[1].code)\n")
    return status
  }
}

// MARK: - Messages

/// Writes a message to stderr.
func tell(_ words: String) {
  try? Descriptor(sharing: 2).write("converter: \(words)\n")
}
