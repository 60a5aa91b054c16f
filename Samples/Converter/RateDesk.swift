import SondeReachability
import SondeSystem
import SondeWeb
import SondeWebApp

/// Updates the rates and publishes them to pages.
actor RateDesk {
  /// The time for which rates are valid.
  static let lifetime = Duration.seconds(300)

  enum Phase {
    case loading, loaded
    case failed(RatesError)
  }

  // Its thread also writes files.
  private let executor = BlockingExecutor(label: "converter.rates")
  private let exchange: MoscowExchange
  private let file: WholeFile?
  private let hub: EventHub

  /// The newest rates, whatever their age.
  private(set) var rates: Rates?

  private(set) var phase: Phase
  private var isLoading = false
  private var isDueAgain = false

  /// Loads the stored rates.
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

  /// Requests rates; during another request, waits and then repeats it.
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
        // If it fails, the next start requests them again.
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

// MARK: - Updates

extension RateDesk {
  /// Loads whenever the rates are too old or the network is back, until the task is cancelled.
  func run() async {
    await withTaskGroup { group in
      group.addTask { await self.watch() }
      group.addTask {
        if await self.isDue { await self.load() }
        // After an error of the exchange, retries are no more frequent than normal requests.
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

  /// The first events for a page.
  var states: [ServerEvent] { [exchange.monitor.state?.serverEvent, state].compactMap(\.self) }

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
    // The banner reports the lost network, and the page shows the stored rates.
    case .failed(.networkLost) where rates != nil && isLost: ("loaded", nil)
    case .loaded: ("loaded", nil)
    case .failed(let error): ("failed", "\(error)")
    }
  }

  private var isLost: Bool { exchange.monitor.state?.verdict.isOnline == false }
}
