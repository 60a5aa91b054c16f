public import SondeAddresses
import SondeRecords
public import SondeTransfer

extension JSONDocument {
  /// The meaning of an ipinfo entry.
  fileprivate enum Claim {
    case facts
    /// Nothing is known, with this message.
    case nothing(String)
    /// The provider failed, with this message; a retry may succeed.
    case fault(String)
    /// It is about another address.
    case ofAnother
  }

  /// Determines the meaning of an address's entry, whose `ip`, if present, must be the same.
  fileprivate func claim(of members: Range<Int>, about address: Address) -> Claim {
    let words = errorText(in: members) ?? ""
    switch value("ip", in: members) {
    case nil, .null: break
    case .string(let text) where Address(ascii: strings, at: text) == address: break
    default: return .ofAnother
    }
    // An embedded 404 is an answer.
    if value("status", in: members)?.number == 404 { return .nothing(words) }
    if has("status", in: members) || has("error", in: members) { return .fault(words) }
    return value("bogon", in: members)?.bool == true ? .nothing("bogon") : .facts
  }

  private func has(_ name: StaticString, in members: Range<Int>) -> Bool {
    switch value(name, in: members) {
    case nil, .null: false
    default: true
    }
  }
}

extension IPInfo {
  /// Interprets a response to a request for addresses.
  public func read(
    _ response: Response,
    for addresses: [Address],
    form: RequestForm,
    time: Int64
  ) -> Reading {
    let isGenuine = isGenuine(response)
    let notice = notice(of: response, time: time, isGenuine)
    if form == .single, let answers = readWrongAddress(response, addresses, time) {
      return Reading(.answers(answers), notice)
    }
    let content = content(of: response, empty: .unusable("the answer is empty")) { document in
      guard let members = document.root.members else {
        return .unusable("the answer is not an object")
      }
      var matcher = AnswerMatcher(addresses: addresses, document: document)
      switch form {
      case .single:
        if let text = document.value("ip", in: members)?.text {
          settle(text, document.root, of: document, expected: 0, time, into: &matcher)
        }
      case .batch:
        var position = 0
        document.forEachMember(members) { key, value in
          settle(key, value, of: document, expected: position, time, into: &matcher)
          position += 1
        }
      }
      return .answers(matcher.finish())
    }
    return Reading(content, notice, isGenuine: isGenuine)
  }

  var window: CalendarWindow { isFree ? .day : .month }

  /// The information about the quota.
  ///
  /// A 429 without `Retry-After` means that the quota of the day (without a token) or month (with a
  /// token) is spent.
  private func notice(of response: Response, time: Int64, _ isGenuine: Bool) -> QuotaNotice {
    var notice = QuotaNotice(of: response, time: time, believing: believableWait)
    if response.status == 429, isGenuine, notice.retryAfter == nil {
      notice.retryAfter = window.rest(at: time)
      notice.isSpentForPeriod = true
    }
    return notice
  }

  /// Whether a 429 is from the service, whose body is an object or empty, and not another page.
  private func isGenuine(_ response: Response) -> Bool {
    guard response.status == 429, !response.body.isEmpty else { return true }
    return (try? JSONDocument(parsing: response.body))?.root.members != nil
  }

  /// Reads a 404, or a 400 of its newer API, for an address that ipinfo considers invalid and knows
  /// nothing about.
  private func readWrongAddress(
    _ response: Response,
    _ addresses: [Address],
    _ time: Int64
  ) -> Answers? {
    guard [400, 404].contains(response.status),
      let document = try? JSONDocument(parsing: response.body),
      let members = document.root.members, let words = document.errorText(in: members),
      words.hasPrefix("Wrong ip") || words.contains("valid IP address")
    else { return nil }
    var matcher = AnswerMatcher(addresses: addresses, document: document)
    settleAsUnknown(0, words, time, in: &matcher)
    return matcher.finish()
  }

  private func settle(
    _ name: TextRange,
    _ value: JSONDocument.Value,
    of document: JSONDocument,
    expected: Int,
    _ time: Int64,
    into matcher: inout AnswerMatcher
  ) {
    guard let address = Address(ascii: document.strings, at: name),
      let place = matcher.place(of: address, expected: expected)
    else { return }
    switch value {
    case .object(let members):
      switch document.claim(of: members, about: address) {
      case .facts: settle(place, members, of: document, time, into: &matcher)
      case .nothing(let words): settleAsUnknown(place, words, time, in: &matcher)
      case .fault(let words): matcher.note(complaint: words)
      case .ofAnother: return
      }
    case .string(let text) where text.isEmpty: settleAsUnknown(place, "", time, in: &matcher)
    default: return
    }
  }

  private func settle(
    _ place: Int,
    _ members: Range<Int>,
    of document: JSONDocument,
    _ time: Int64,
    into matcher: inout AnswerMatcher
  ) {
    var found = Record(address: matcher.address(at: place), status: .ok)
    do {
      try fill(&found, from: EntryMembers(document: document, members: members))
    } catch {
      return
    }
    found.fetchedAt = time
    found.confine(in: document.strings.span)
    guard found.saysSomething else {
      // An object without its address has no meaning, not even that nothing is known.
      guard document.value("ip", in: members)?.text != nil else { return }
      settleAsUnknown(place, "", time, in: &matcher)
      return
    }
    found.source = source
    matcher.settle(place) { $0 = found }
  }
}
