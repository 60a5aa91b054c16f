extension WebService {
  /// Shodan's InternetDB: what is open at an address (https://internetdb.shodan.io).
  ///
  /// No limit is published.
  static let internetDB: WebService = {
    var service = WebService(
      "internetdb",
      "https://internetdb.shodan.io/{ip}",
      Allowance(requests: 1, per: .seconds(1)),
      values: ["/ports", "/vulns", "/tags", "/hostnames"],
      address: "/ip"
    )
    service.families = [.ipv4]
    return service
  }()

  /// GreyNoise's community API: who scans the Internet
  /// (https://docs.greynoise.io/docs/using-the-greynoise-community-api).
  ///
  /// 50 requests a day without a key.
  static let greyNoise: WebService = {
    var service = WebService(
      "greynoise",
      "https://api.greynoise.io/v3/community/{ip}",
      Allowance(requests: 50, per: .seconds(86_400)),
      values: ["/noise", "/riot", "/classification", "/name"],
      address: "/ip"
    )
    service.families = [.ipv4]
    // Answers state the limit of an account.
    service.key = Key(
      key: .greyNoiseKey,
      isRequired: false,
      header: "key",
      allowance: Allowance(requests: 1, per: .seconds(1))
    )
    return service
  }()

  /// AbuseIPDB: what others report of an address (https://docs.abuseipdb.com/#check-endpoint).
  ///
  /// 1,000 requests a day with a free account.
  static let abuseIPDB: WebService = {
    let day = Allowance(requests: 1000, per: .seconds(86_400))
    var service = WebService(
      "abuseipdb",
      "https://api.abuseipdb.com/api/v2/check?maxAgeInDays=90&ipAddress={ip}",
      day,
      values: ["/data/abuseConfidenceScore", "/data/totalReports", "/data/lastReportedAt"],
      address: "/data/ipAddress"
    )
    service.key = Key(key: .abuseIPDBKey, isRequired: true, header: "Key", allowance: day)
    return service
  }()
}

extension Provider.Key {
  fileprivate static let greyNoiseKey = Provider.Key(
    setting: "greynoise-key",
    words: "the GreyNoise key",
    summary: "Key of greynoise"
  )

  fileprivate static let abuseIPDBKey = Provider.Key(
    setting: "abuseipdb-key",
    words: "the AbuseIPDB key",
    summary: "Key of abuseipdb"
  )
}
