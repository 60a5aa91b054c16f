import SondeProviders

/// The name of a ledger's row for people, without URL, key or token.
struct QuotaName: Sendable, Equatable {
  /// The provider, registry or service.
  let provider: String
  /// The form of requests; `nil` for registries and services, which take one address at a time.
  let form: RequestForm?
  /// Whether the provider is used with a key or token.
  let hasKey: Bool

  init(of api: any RemoteAPI, _ form: RequestForm) {
    (provider, self.form, hasKey) = (api.source.name, form, !api.isFree)
  }

  init(of registry: Registry) { (provider, form, hasKey) = (registry.name, nil, false) }

  init(of service: WebService, hasKey: Bool) {
    (provider, form, self.hasKey) = (service.name, nil, hasKey)
  }

  var text: String {
    let words = [provider, form.map { "\($0)" }, hasKey ? "key" : nil]
    return words.compactMap(\.self).joined(separator: " ")
  }

  /// Parses ``text``.
  init(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    provider = words.first ?? ""
    form = words.contains("batch") ? .batch : words.contains("single") ? .single : nil
    hasKey = words.last == "key"
  }

  /// The initial quota, before any request; `nil` for an unknown name.
  var start: Quota? {
    if let form {
      guard let service = Provider(name: provider)?.service else { return nil }
      let api = service.api(at: nil, key: hasKey ? "" : nil, fields: [])
      return Quota(of: api, form, rate: nil)
    }
    if let service = WebService(name: provider) { return service.quota(withKey: hasKey) }
    let registry = Registry(name: provider)
    return Quota(allowance: registry.allowance, isRolling: true, believing: Registry.believableWait)
  }
}
