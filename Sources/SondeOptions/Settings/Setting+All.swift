extension Setting {
  /// Every setting, in the order of help.
  package static let all: [Setting] = lists.flatMap { group, settings in
    settings.map { $0.under(group) }
  }

  private static let lists: KeyValuePairs<Group, [Setting]> = [
    .input: guarding + input, .output: rules + differences + output + privacy,
    .providers: providers,
    .requests: requests, .cache: cache, .network: network, .alerts: alerts, .server: server,
    .messages: messages, .general: rest,
  ]

  /// The first setting with this long name; see ``own(of:)``.
  static func named(_ name: some StringProtocol) -> Setting? { all.first { $0.name == name } }

  private func under(_ group: Group) -> Setting {
    var setting = self
    if setting.group == .general { setting.group = group }
    return setting
  }
}
