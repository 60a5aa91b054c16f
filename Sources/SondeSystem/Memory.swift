import CSondeMalloc

/// Gives the memory that is free, wherever it lies between what is in use, back to the system
/// (malloc_trim(3)); it takes some milliseconds.
public func releaseFreeMemory() { malloc_trim(0) }
