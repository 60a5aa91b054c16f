package import SondeInputs
package import SondeLogs
package import SondeOptions
package import SondeRecords
package import SondeSystem

/// What a guard asks of hits and when it raises alerts, as configured by the options.
package struct GuardPlan: Sendable {
  package var questions: GuardQuestions
  let rules: GuardRules
  let manner: GuardRun.Manner
  let zone: TimeZoneRules
  /// The options by which hits are counted, the same for the same words.
  let spelling: String
  /// What is known of a file before its first line.
  let lines: LineContext

  /// `key` has the fields of `--by`, `new` that of `--new`; `zone` is that of times without one.
  package init(
    _ options: Options,
    when: Filter?,
    key: Filter,
    new: Filter?,
    capturing pattern: LinePattern?,
    zone: TimeZoneRules,
    _ picks: PickFindings
  ) {
    let options = (all: options, own: options.guarding)
    let filters = [when, key, new].map { filter in
      var filter = filter
      filter?.zone = zone
      return filter
    }
    questions = GuardQuestions(
      when: filters[0],
      key: filters[1] ?? key,
      named: options.own.by,
      new: filters[2]
    )
    (questions.pattern, questions.claims) = (pattern, options.all.claims)
    questions.wantsPlaces = options.own.travel != nil
    var rules = GuardRules()
    rules.count = options.own.count
    (rules.within, rules.every) = (options.own.within.milliseconds, options.own.every.milliseconds)
    rules.wantsNewValues = new != nil
    rules.speed = options.own.travel.map { Double($0) }
    var manner = GuardRun.Manner()
    (manner.name, manner.atMost) = (options.own.name, options.own.atMost)
    let locals: [WaitingAlert.Way] = [[], .first, [.first, .second]]
    let count = (options.all.exec == nil ? 0 : 1) + (options.all.syslog ? 1 : 0)
    manner.destinations = locals[count]
    if !options.all.webhooks.isEmpty { manner.destinations.insert(.queued) }
    if options.own.replay { manner.destinations = [] }
    manner.isReplay = options.own.replay
    (self.rules, self.manner, self.zone) = (rules, manner, zone)
    let parts: [String] = [
      when?.spelling(path: resolvedPath) ?? "", key.spelling(path: resolvedPath),
      new?.spelling(path: resolvedPath) ?? "", "\(rules.count)", "\(rules.within)",
      "\(rules.speed ?? 0)", options.all.capture ?? "",
    ]
    spelling = parts.joined(separator: "\n")
    lines = LineContext(options.all.pick, picks)
  }

  /// Finds the hits in lines.
  var finder: HitFinder { HitFinder(questions, zone: zone) }
}
