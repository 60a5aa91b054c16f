extension WebhookForm {
  /// Every form but templates.
  static let all = [sonde, slack, discord, teams, ntfy, alertmanager, pagerDuty]

  /// The default for a host.
  static func form(of host: String) -> WebhookForm {
    all.first { $0.hosts.contains { isMember(host, of: $0) } } ?? sonde
  }

  private static func isMember(_ host: String, of pattern: String) -> Bool {
    pattern.hasPrefix("*") ? host.hasSuffix(pattern.dropFirst()) : host == pattern
  }
}
