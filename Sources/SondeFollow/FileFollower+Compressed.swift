import SondeSystem

/// Files that were rotated away and compressed before they were read to their ends.
extension FileFollower {
  struct Compressed {
    let path: String
    let identity: FileIdentity
    /// When it was last written to, or what it was made of.
    let modified: Duration
    /// The length of what it holds, modulo 2^32; `nil` if it does not say.
    let size: UInt32?

    /// Whether it holds what was read up to a place, and no more.
    func ends(at offset: Int) -> Bool { size == UInt32(truncatingIfNeeded: offset) }
  }

  /// Reports what was not read of a file that is gone or compressed; returns the time since which
  /// others may have had its name.
  mutating func reportRest(of position: FilePosition) -> Duration {
    let own = compressed(position.path, since: position.modified).first
    if own.map({ !$0.ends(at: position.offset) }) ?? true {
      reportLoss(of: position.path, behind: position.offset)
    }
    return max(own?.modified ?? position.modified, position.modified) + .nanoseconds(1)
  }

  /// Reports files that were compressed before they were seen; returns the time since which others may
  /// come.
  mutating func reportCompressed(_ path: String, since: Duration) -> Duration {
    var latest = since
    for file in compressed(path, since: since) {
      latest = file.modified + .nanoseconds(1)
      // Only a length tells whether it holds what was read, for a copy is later than that.
      guard let size = file.size, size > 0, !wasRead(file, of: path),
        toldCompressed.updateValue(file.modified, forKey: file.identity) != file.modified
      else { continue }
      reportLoss(of: file.path, behind: 0)
    }
    return latest
  }

  /// Whether a file was compressed from one that was read or is held.
  private func wasRead(_ compressed: Compressed, of path: String) -> Bool {
    done.contains { $0.path == path && compressed.ends(at: $0.offset) }
      || files.contains { held in
        guard held.position.path == path, let status = held.file.status else { return false }
        return compressed.ends(at: status.size) || compressed.ends(at: held.position.offset)
          || status.links == 0 && status.modified >= compressed.modified
      }
  }

  /// The finished ones beside a file, in the order of their times.
  mutating func compressed(_ path: String, since: Duration) -> [Compressed] {
    var found: [Compressed] = []
    for rotation in folders.rotations(of: path) where rotation.isCompressed {
      // What it is made of is removed at the end.
      let original = rotation.path.lastIndex(of: ".").map { String(rotation.path[..<$0]) }
      guard let status = FileStatus(path: rotation.path), status.modified >= since,
        let original, FileStatus(path: original) == nil,
        let file = try? OpenedFile(path: rotation.path), file.isCompressed
      else { continue }
      // The last four bytes (RFC 1952, section 2.3.1).
      let end = rotation.path.hasSuffix(".gz") ? file.bytes(at: status.size - 4, 4) : []
      let size = end.reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
      found.append(
        Compressed(
          path: rotation.path,
          identity: status.identity,
          modified: status.modified,
          size: end.isEmpty ? nil : size
        )
      )
    }
    return found.sorted { $0.modified < $1.modified }
  }
}
