import SondeAddresses
import SondeProviders

extension AskedSource {
  /// A web service.
  static func service(_ service: WebService) -> AskedSource {
    AskedSource(
      countsRequests: false,
      open: { try ServiceSource(service, by: $0.access(service), $1) },
      plan: { ServicePlan(service, by: try $0.access(service), keptIn: $1) }
    )
  }
}

/// The number of requests to a web service, and the minimum time.
struct ServicePlan: SourcePlan {
  private let service: WebService
  private let allowance: Allowance
  private let kept: KeptAnswers
  /// The number of addresses without a kept answer.
  private var addresses = 0

  /// Creates a plan without asking.
  init(_ service: WebService, by access: ServiceAccess, keptIn memory: SourceMemory) {
    self.service = service
    allowance = service.allowance(withKey: access.key != nil)
    kept = KeptAnswers(of: service, mirror: access.mirror, in: memory)
  }

  /// One line, with the time of the windows that end before the last request.
  var lines: [SourcePlanLine] {
    let time: SourcePlanLine.Time =
      addresses == 0 ? .nothing : .atLeast(allowance.windows(before: addresses))
    return [SourcePlanLine(service.name, questions: addresses, time)]
  }

  mutating func count(_ addresses: [Address]) async {
    let asked = addresses.filter { service.isAsked(about: $0) }
    self.addresses += asked.count - (await kept.answers(about: asked).count)
  }
}
