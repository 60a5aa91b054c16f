import SondeProviders
import SondeReport
import SondeScanner
import SondeStore

extension ProviderSetup {
  /// What a provider of the list would need.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - maximum: The most requests that may be sent; `nil` for any number.
  ///   - ledger: Where it is kept what is spent of quotas; `nil` for no ledger.
  /// - Returns: The estimate.
  /// - Throws: ``UsageError`` where it cannot be asked as it is set.
  func estimate(
    for provider: Provider,
    maximum: Int?,
    ledger: (any QuotaLedger)? = nil
  ) throws -> ProviderEstimate {
    guard let api = try api(of: provider) else {
      return ProviderEstimate(name: provider.name, batch: 0, allowance: nil, maximum: nil)
    }
    return ProviderEstimate(
      name: provider.name,
      of: api,
      rate: rate,
      maximum: maximum,
      ledger: ledger
    )
  }

  /// The most that a provider's quota allows; `nil` where it has none.
  func window(of provider: Provider) -> RunReport.Window? {
    guard let source = provider.sources.first?.source,
      let estimate = try? estimate(for: provider, maximum: nil),
      let allowance = estimate.allowance
    else { return nil }
    let addresses = allowance.requests.multipliedReportingOverflow(by: estimate.batch)
    guard addresses.partialValue > 0, !addresses.overflow else { return nil }
    return RunReport.Window(
      source: source,
      addresses: addresses.partialValue,
      period: allowance.period
    )
  }
}
