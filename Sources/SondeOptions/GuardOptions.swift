/// When `guard` raises alerts.
package struct GuardOptions: Sendable, Equatable {
  /// Which hits count; `nil` for all.
  package var when: String?
  /// The fields of the key.
  package var by = ["ip"]
  /// The number of hits that raise an alert, and the time in which they lie.
  package var count = 1
  package var within = Duration.seconds(600)
  /// The field whose new values count; `nil` for none.
  package var new: String?
  /// The speed in km/h above which a hit is too far from the one before; `nil` if places are not
  /// compared.
  package var travel: Int?
  /// The time between two alerts of a key.
  package var every = Duration.seconds(3600)
  /// The alerts of an hour after which the next is a flood; 0 for all.
  package var atMost = 60
  /// The name in alerts, under which the state is kept; `nil` for none.
  package var name: String?
  /// Whether to print what would have been raised.
  package var replay = false
  /// The units whose messages in the systemd journal are read, or `all`.
  package var journals: [String] = []
  /// Whether files that are there when first named are read from their beginning.
  package var fromStart = false

  package init() {}
}
