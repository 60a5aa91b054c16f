import SondeRecords
import SondeSystem

extension BlockPlan {
  /// A row for each rule.
  func csv(_ style: RuleStyle) -> [UInt8] {
    let columns = [
      "prefix", "bad", "good", "other", "addresses", "country_code", "asn", "as_name",
    ]
    return rules.reduce(into: delimitedLine(columns, by: ",")) { output, rule in
      let origin = rule.origin
      let isFormula = style.isForSpreadsheets && (origin.asName.utf8.first?.beginsFormula ?? false)
      let numbers = [rule.bad, rule.good, rule.other, UInt64(rule.addresses)].map(String.init)
      output += delimitedLine(
        ["\(rule.prefix)"] + numbers
          + [
            origin.countryCode, origin.asn.map(String.init) ?? "",
            isFormula ? "'" + origin.asName : origin.asName,
          ],
        by: ","
      )
    }
  }

  /// One object.
  var json: [UInt8] {
    var object = JSONObject()
    object.add("rules", objects: rules.map(\.json))
    object.add("totals", totals.json(of: rules.count))
    var left = JSONObject()
    for reason in LeftReason.allCases { left.add(reason.rawValue, self.left[reason] ?? 0) }
    left.add(
      "top",
      objects: top.map { one in
        var object = JSONObject()
        object.add("ip", "\(one.address)")
        object.add("bad", one.bad)
        object.add("why", one.why.rawValue)
        return object
      }
    )
    object.add("left", left)
    return object.line
  }
}

extension BlockRule {
  /// The rule; what is not known is left out.
  fileprivate var json: JSONObject {
    var object = JSONObject()
    object.add("prefix", "\(prefix)")
    object.add("bad", bad)
    object.add("good", good)
    object.add("other", other)
    object.add("addresses", addresses)
    if !origin.countryCode.isEmpty { object.add("country_code", origin.countryCode) }
    if let asn = origin.asn { object.add("asn", asn) }
    if !origin.asName.isEmpty { object.add("as_name", origin.asName) }
    object.add(
      "touched",
      objects: touched.map { one in
        var object = JSONObject()
        object.add("ip", "\(one.address)")
        object.add("hits", one.hits)
        return object
      }
    )
    return object
  }
}

extension BlockPlan.Totals {
  fileprivate func json(of rules: Int) -> JSONObject {
    var object = JSONObject()
    object.add("rules", rules)
    object.add("at_least", atLeast)
    object.add("bad", bad)
    object.add("bad_covered", badCovered)
    object.add("good", good)
    object.add("good_touched", goodTouched)
    object.add("other", other)
    object.add("never", never)
    object.add("addresses", addresses)
    object.add("span_ipv4", spanIPv4)
    object.add("span_ipv6", spanIPv6)
    object.add("met", isMet)
    if let expiresAt {
      object.add("expires_at", Timestamp(seconds: expiresAt).wholeSeconds)
    } else {
      object.addNull("expires_at")
    }
    return object
  }
}
