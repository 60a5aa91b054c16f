package import SondeProviders
package import SondeReport
package import SondeScanner
package import SondeStore

extension ProviderSetup {
  /// Estimates the requests to a provider, at most `maximum`.
  ///
  /// - Throws: ``UsageError`` if the provider cannot be asked as configured.
  package func estimate(
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

  /// A provider's quota; `nil` if it has none.
  package func window(of provider: Provider) -> RunReport.Window? {
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
