import CSondeMalloc

/// Returns free memory between allocations to the system (malloc_trim(3)), which takes some
/// milliseconds.
public func releaseFreeMemory() { malloc_trim(0) }
