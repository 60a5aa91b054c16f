#if DEBUG
  import SondeAddresses
  import SondeRecords
  import SondeTables
  import SondeTransfer

  @testable import SondeNames
  @testable import SondeProviders

  extension FuzzTarget {
    /// What providers, registries and name servers answer.
    static let answers = [
      FuzzTarget("provider") { readProvider($0) },
      FuzzTarget("rdap") { readRegistry($0) },
      FuzzTarget("bootstrap") { bytes in
        guard let directory = try? RegistryDirectory(parsing: bytes) else { return }
        for address in addresses { _ = directory.url(for: address) }
      },
      FuzzTarget("dns") { bytes in
        for type in [RecordType.pointer, .a, .aaaa] {
          guard let answer = NameAnswer(bytes.span, to: type) else { continue }
          precondition(answer.names.count + answer.addresses.count <= NameAnswer.mostRecords)
          for name in answer.names + [answer.alias].compactMap(\.self) {
            precondition(!name.text.isEmpty)
            _ = name.questionText
          }
        }
      },
    ]

    private static let statuses = [200, 200, 200, 204, 301, 400, 403, 404, 408, 429, 500, 503, 511]

    /// A header section, an empty line and a body.
    private static func response(_ bytes: inout FuzzBytes) -> Response {
      let status = bytes.pick(statuses)
      let text = bytes.all
      let end = text.indices.first { text[$0...].starts(with: Array("\r\n\r\n".utf8)) } ?? 0
      return Response(
        status: status,
        body: Array(text.dropFirst(end == 0 ? 0 : end + 4)),
        rawHeader: Array(text.prefix(end == 0 ? 0 : end + 4))
      )
    }

    private static func readProvider(_ bytes: [UInt8]) {
      var bytes = FuzzBytes(bytes)
      let api: any RemoteAPI = bytes.pick([
        IPAPI(), IPAPI(key: "k", fields: Set(Field.standard)), IPInfo(token: "t"),
        IPInfo(token: "t", isLite: true),
      ])
      let form = bytes.pick([RequestForm.batch, .single])
      let asked = form == .single ? Array(addresses.prefix(1)) : addresses
      let response = response(&bytes)
      let reading = api.read(response, for: asked, form: form, time: present)
      if case .answers(let answers) = reading.content {
        precondition(answers.block.records.map(\.address) == asked)
        precondition(answers.missing.allSatisfy { asked.indices.contains($0) })
        check(answers.block)
      }
      let verdict = ExchangeVerdict(response, reading, form: form)
      precondition(verdict.wait >= .zero)
      let start = Quota(allowance: api.allowance(of: form), believing: api.believableWait)
      settle(verdict.quota, start, within: api.believableWait.longest(at: .seconds(present)))
      _ = IPify().read(response, time: present)
    }

    /// When all answers come.
    private static let present: Int64 = 1_700_000_000

    /// Takes an outcome again and again, as a run does that goes on asking; none has it wait for longer
    /// than is believed.
    private static func settle(_ outcome: Quota.Outcome, _ start: Quota, within longest: Duration) {
      var quota = SharedQuota(start: start)
      for second in stride(from: 0, to: 200, by: 20) {
        let now = Duration.seconds(second)
        for ticket in quota.reserve(2, for: 1, now: now).tickets {
          quota.settle(ticket, of: 1, outcome, now: now)
        }
        check(quota.reserve(1, for: 1, now: now).denial, at: now, within: longest)
        _ = quota.quota.rest(at: now)
      }
    }

    /// Checks that a wait is no longer than it may be.
    static func check(_ denial: Quota.Decision?, at now: Duration, within longest: Duration) {
      switch denial {
      case .wait(let end), .spent(let end), .waitForAnswer(let end?):
        precondition(end - now <= longest)
      case .waitForAnswer(nil), .send, nil: break
      }
    }

    private static func readRegistry(_ bytes: [UInt8]) {
      var bytes = FuzzBytes(bytes)
      let address = bytes.pick(addresses)
      let response = response(&bytes)
      let reading = RegistryReading(response, about: address, time: present)
      if case .registration(let registration) = reading.content {
        precondition(registration.range.holds(address))
        let network = registration.network(holding: address)
        precondition(AddressRange(block: address, length: network.length).holds(address))
      }
      _ = response.redirection(from: "https://rdap.example/ip/8.8.8.8")
      _ = response.link("next", from: "https://rdap.example/ip/8.8.8.8")
    }
  }
#endif
