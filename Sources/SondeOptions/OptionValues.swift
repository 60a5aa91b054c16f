import SondeNames
import SondeProviders
import SondeReachability
import SondeRecords
import SondeRedis
import SondeSources
package import SondeSummary
import SondeWeb

/// How often an address that appears several times is answered.
package enum Duplicates: String, CaseIterable, Sendable {
  /// Once, where it appears first.
  case first
  /// At every occurrence.
  case keep
}

/// How `annotate` inserts what is known.
package enum AnnotateStyle: String, CaseIterable, Sendable {
  /// After each address, in brackets.
  case brackets
  /// As a last member of lines that are JSON objects.
  case json
  /// As new columns of tables.
  case columns
}

/// The form of the events of `watch`.
package enum WatchFormat: String, CaseIterable, Sendable {
  case text, ndjson
}

/// The form of `quota list`.
package enum QuotaFormat: String, CaseIterable, Sendable {
  case table, ndjson
}

/// The form of `status`.
package enum StatusFormat: String, CaseIterable, Sendable {
  case text, json
}

/// Whether something for a person is shown.
package enum When: String, CaseIterable, Sendable {
  case auto, always, never
}

/// A number of requests in a window of time.
package struct Rate: Sendable, Equatable {
  package let requests: Int
  package let window: Duration
}

/// How long addresses are held back while the network is lost.
package enum OfflineTimeout: Sendable, Equatable {
  case after(Duration)
  case forever
}

/// A key or token that no description, dump or error shows.
package struct RedactedText: Sendable, Equatable, CustomStringConvertible,
  CustomDebugStringConvertible,
  CustomReflectable
{
  /// The key itself, for the request alone.
  package let value: String

  package var description: String { "…redacted…" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A bound of the times of lines.
package enum TimeBound: Sendable, Equatable {
  case moment(MomentText)
  /// So long before the command was given.
  case ago(Duration)
}

/// The tables that are written.
package struct TableList: Sendable, Equatable {
  /// None of them where only the page is wanted.
  package var kinds: Set<SummaryTable.Kind>
}
