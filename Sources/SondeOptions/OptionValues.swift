import SondeNames
import SondeProviders
import SondeReachability
import SondeRecords
import SondeRedis
import SondeSources
package import SondeSummary
package import SondeSystem
import SondeWeb

/// How often a repeated address is answered.
package enum Duplicates: String, CaseIterable, Sendable {
  /// Once, at its first occurrence.
  case first
  case keep
}

/// How `annotate` inserts answers.
package enum AnnotateStyle: String, CaseIterable, Sendable {
  /// After each address, in brackets.
  case brackets
  /// As the last member of lines that are JSON objects.
  case json
  /// As new columns of tables.
  case columns
  /// At the end of each line, after tabs.
  case end

  /// Whether it inserts text for people, and so may insert nothing.
  package var isText: Bool { self == .brackets || self == .end }
}

/// The format of the events of `watch`.
package enum WatchFormat: String, CaseIterable, Sendable {
  case text, ndjson
}

/// The format of `quota list`.
package enum QuotaFormat: String, CaseIterable, Sendable {
  case table, ndjson
}

/// The format of `status`.
package enum StatusFormat: String, CaseIterable, Sendable {
  case text, json
}

/// When a feature for people, such as color, is used.
package enum When: String, CaseIterable, Sendable {
  case auto, always, never
}

/// A number of requests per time window.
package struct Rate: Sendable, Equatable {
  package let requests: Int
  package let window: Duration
}

/// How long addresses wait while the network is lost.
package enum OfflineTimeout: Sendable, Equatable {
  case after(Duration)
  case forever
}

/// A key or token that no description, dump or error shows.
package struct RedactedText: Sendable, Equatable, CustomStringConvertible,
  CustomDebugStringConvertible,
  CustomReflectable
{
  /// The key itself, used only for the request.
  package let value: String

  package var description: String { "…redacted…" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A receiver of alerts, as given.
package struct WebhookReceiver: Sendable, Equatable {
  /// The name of the form of messages; `nil` for the host's.
  package let format: String?
  package let url: String

  package init(format: String? = nil, url: String) { (self.format, self.url) = (format, url) }
}

/// The time whose answers are wanted.
package enum AnswerTime: Sendable, Equatable {
  /// That of each line.
  case line
  /// In seconds since 1970 UTC.
  case moment(Int64)
}

/// A bound for the times of lines.
package enum TimeBound: Sendable, Equatable {
  case moment(MomentText)
  /// A duration before the start of the command.
  case ago(Duration)

  /// The time in milliseconds since 1970 UTC.
  package func milliseconds(in zone: TimeZoneRules, now: Int64) -> Int64 {
    switch self {
    case .moment(let text): text.milliseconds(in: zone)
    case .ago(let duration): now - Int64(clamping: duration.milliseconds)
    }
  }
}

/// The tables to write.
package struct TableList: Sendable, Equatable {
  /// Empty if only the page is requested.
  package var kinds: Set<SummaryTable.Kind>
}
