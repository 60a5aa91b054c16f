import SondeProviders

/// Whose quota a row of a ledger is, as a person knows it: no place, key or token.
struct QuotaName: Sendable, Equatable {
  /// The provider or registry.
  let provider: String
  /// What the quota counts; `nil` for a registry, which takes one address at a time.
  let form: RequestForm?
  /// Whether the provider is asked with a key or token.
  let hasKey: Bool

  /// Names the quota of a web API for one form of request.
  init(of api: any RemoteAPI, _ form: RequestForm) {
    (provider, self.form, hasKey) = (api.source.name, form, !api.isFree)
  }

  /// Names the quota of a registry.
  init(of registry: Registry) {
    (provider, form, hasKey) = (registry.name, nil, false)
  }

  /// The name as a row holds it.
  var text: String {
    let words = [provider, form.map { "\($0)" }, hasKey ? "key" : nil]
    return words.compactMap(\.self).joined(separator: " ")
  }

  /// Reads what ``text`` gave.
  init(_ text: String) {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    provider = words.first ?? ""
    form = words.contains("batch") ? .batch : words.contains("single") ? .single : nil
    hasKey = words.last == "key"
  }

  /// What is known of the quota before anybody has been asked; `nil` for a name that nobody has any more.
  var start: Quota? {
    if let form {
      guard let service = Provider(name: provider)?.service else { return nil }
      let api = service.api(at: nil, key: hasKey ? "" : nil, fields: [])
      return Quota(of: api, form, rate: nil)
    }
    let registry = Registry(name: provider)
    return Quota(
      allowance: registry.allowance,
      isRolling: true,
      believing: Registry.believableWait
    )
  }
}
