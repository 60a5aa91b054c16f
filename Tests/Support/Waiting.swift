/// Waits until something is so, looking once a millisecond: whoever is waited for has the threads
/// meanwhile, which a loop of `Task.yield()` takes from them on a busy machine.
///
/// - Parameter isSo: Whether it is.
/// - Throws: `CancellationError`, as at the time limit of a test, and what `isSo` throws.
public func waitUntil(_ isSo: () async throws -> Bool) async throws {
  while try await !isSo() { try await Task.sleep(for: .milliseconds(1)) }
}
