extension Setting {
  static let privacy: [Setting] = [
    anonymize(
      for: [.scan, .extract, .annotate, .summary],
      .anonymization,
      """
      truncate keeps the first 24 bits of IPv4 and 48 of IPv6 addresses, truncate=N,M as many; \
      pseudonym encrypts them with --anonymize-key, so that networks stay networks. Addresses that \
      --log does not find, as in x8.8.8.8, ip-10-0-0-1 or (without --refang) 8[.]8.8.8, stay as they \
      are.
      """
    ),
    anonymize(
      for: [.check],
      .checkedAnonymization,
      """
      truncate keeps the first 24 bits of IPv4 and 48 of IPv6 addresses, truncate=N,M as many; \
      pseudonym encrypts them with --anonymize-key; reveal reads pseudonyms, and writes the addresses. \
      Addresses that --log does not find, as in x8.8.8.8, ip-10-0-0-1 or (without --refang) 8[.]8.8.8, \
      stay as they are.
      """
    ),
    Setting(
      name: "anonymize-key",
      commands: .anonymizing,
      value: .one(.path, \.anonymizeKey),
      summary: "Encrypt with the key in FILE, 64 hexadecimal digits",
      details: "Only you may be able to read FILE. 'openssl rand -hex 32' makes a key."
    ),
    Setting(
      name: "min-group",
      commands: [.scan, .summary],
      value: .one(.count(1...Int.max), \.minGroup),
      standard: "1",
      summary: "Leave out cities of fewer than N addresses",
      details: """
        Where fewer distinct addresses of the run share country, region and city, they have no city, \
        postal code and coordinates. The records of scan then come at the end.
        """
    ),
  ]

  private static func anonymize(
    for commands: [CommandName],
    _ form: Form<Anonymization>,
    _ details: String
  ) -> Setting {
    Setting(
      name: "anonymize",
      commands: commands,
      value: .one(form, \.anonymization),
      summary: "Replace every address in all that is written",
      details: details
    )
  }
}
