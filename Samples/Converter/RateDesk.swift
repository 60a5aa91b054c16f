import SondeReachability
import SondeSystem
import SondeWeb
import SondeWebApp

/// Updates the rates and publishes them to pages.
actor RateDesk {
  /// How long rates are good.
  static let lifetime = Duration.seconds(300)

  enum Phase {
    case loading, loaded
    case failed(RatesError)
  }

  // Files are written on its thread.
  private let executor = BlockingExecutor(label: "converter.rates")
  private let exchange: MoscowExchange
  private let file: WholeFile?
  private let hub: EventHub

  /// The newest there are, of whatever age.
  private(set) var rates: Rates?

  private(set) var phase: Phase
  private var isLoading = false
  private var isDueAgain = false

  /// Takes what is kept.
  init(_ exchange: MoscowExchange, keptIn file: WholeFile?, hub: EventHub) {
    (self.exchange, self.file, self.hub) = (exchange, file, hub)
    rates = (try? file?.read(atMost: 2 << 20)).flatMap { Rates(kept: $0) }
    phase = rates == nil ? .loading : .loaded
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Whether the rates are too old, or the clock was set back.
  var isDue: Bool {
    guard let rates else { return true }
    return !(Duration.zero..<Self.lifetime).contains(rates.age)
  }

  /// Asks the exchange; where that is under way already, once more after it.
  func load() async {
    isDueAgain = isLoading
    guard !isLoading else { return }
    isLoading = true
    repeat {
      isDueAgain = false
      become(.loading)
      do throws(RatesError) {
        let new = try await exchange.rates()
        rates = new
        // Without it they are asked for again at the next start.
        try? file?.write(new.kept)
        become(.loaded)
      } catch {
        become(.failed(error))
      }
    } while isDueAgain
    isLoading = false
  }

  private func become(_ phase: Phase) {
    self.phase = phase
    hub.tell(state)
  }
}

// MARK: - While the page is served

extension RateDesk {
  /// Loads whenever the rates are too old or the network is back, until the task is cancelled.
  func run() async {
    await withTaskGroup { group in
      group.addTask { await self.watch() }
      group.addTask {
        if await self.isDue { await self.load() }
        // A fault of the exchange is not asked about more often than the rates.
        while (try? await Task.sleep(for: await self.pause)) != nil {
          if await self.isDue { await self.load() }
        }
      }
    }
  }

  private var pause: Duration {
    isDue ? Self.lifetime : Self.lifetime - (rates?.age ?? .zero)
  }

  private func watch() async {
    var isLost = false
    for await transition in exchange.monitor.states() {
      hub.tell(transition.serverEvent)
      if isLost, transition.verdict.isOnline { Task { await load() } }
      isLost = !transition.verdict.isOnline
    }
  }

  /// The first event for a page.
  var states: [ServerEvent] { [exchange.monitor.state?.serverEvent, state].compactMap(\.self) }

  /// The rates and their states.
  private var state: ServerEvent {
    let rows = Currency.allCases.map { currency -> JSON in
      let rate = currency == .rouble ? Rate.rouble : rates?[currency]
      return [
        "code": .string(currency.code), "roubles": JSON(rate?.roubles),
        "source": JSON(rate?.source?.rawValue), "date": JSON(rate?.date),
      ]
    }
    let (phase, reason) = words
    return ServerEvent(
      "rates",
      [
        "phase": .string(phase), "reason": JSON(reason), "fetched_at": rates?.fetched.json ?? nil,
        "rows": .array(rows),
      ]
    )
  }

  private var words: (phase: String, reason: String?) {
    switch phase {
    case .loading: ("loading", nil)
    // The banner says that the network is lost, and kept rates are what there is to show.
    case .failed(.networkLost) where rates != nil && isLost: ("loaded", nil)
    case .loaded: ("loaded", nil)
    case .failed(let error): ("failed", "\(error)")
    }
  }

  private var isLost: Bool { exchange.monitor.state?.verdict.isOnline == false }
}
