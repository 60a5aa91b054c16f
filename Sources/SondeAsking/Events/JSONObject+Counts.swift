public import SondeOutputs
import SondeProviders
public import SondeRecords

extension JSONObject {
  /// Adds the counts of records for a `summary` event.
  public mutating func add(_ tally: Tally) {
    var sources = JSONObject()
    for source in Source.all where tally[source] > 0 { sources.add(source.name, tally[source]) }
    add("entries", tally.entries)
    add("duplicates", tally.duplicates)
    add("ok", tally.ok)
    add("reserved", tally.reserved)
    add("invalid", tally.invalid)
    add("failed", tally.failed)
    add("network_lost", tally.networkLost)
    add("cached", tally.cached)
    add("unknown", tally.unknown)
    add("sources", sources)
  }

  /// Adds the requests, losses and durations of a run for a `summary` event.
  ///
  /// - Parameters:
  ///   - counters: The counts.
  ///   - asksRegistries: Whether the run could ask address registries, so that their number is
  ///     added even if it is 0.
  public mutating func add(_ counters: RunCounters, asksRegistries: Bool = false) {
    add("requests", counters.requests)
    add("throttled", counters.throttled)
    if asksRegistries || counters.ownerRequests > 0 {
      add("owner_requests", counters.ownerRequests)
      add("owner_throttled", counters.ownerThrottled)
    }
    add("losses", counters.losses)
    add("offline_ms", counters.offline)
    add("elapsed_ms", counters.elapsed)
  }
}
