import SondeOptions
package import SondeOutputs
package import SondeRecords

/// The format and compression that the name of an output implies.
package struct OutputEnding {
  /// The format of the records; `nil` if the name implies none.
  package let format: Format?
  package let packing: Packing?

  /// The ending, if it implies no format.
  package let unknown: String?

  /// The ending of a compression that is only supported for input.
  package let unsupportedPacking: String?

  /// The endings of compressions and archives that cannot be written.
  private static let unsupported = [
    ".xz", ".bz2", ".lzma", ".lz", ".lz4", ".br", ".z", ".zip", ".7z", ".tgz",
  ]

  /// The endings that imply a format, for messages.
  package static let known = {
    let databases = Format.all.filter(\.isDatabase).flatMap(\.endings)
    let others = Format.all.filter { !$0.isDatabase }.flatMap(\.endings)
    return alternatives(others) + ", each also with .gz or .zst behind it, or "
      + alternatives(databases)
  }()

  /// Parses the last ending of a path and, after that of a compression, the one before it.
  package init(_ path: String) {
    var name = path.split(separator: "/").last ?? ""
    let last = name.ending?.lowercased()
    unsupportedPacking = last.flatMap { Self.unsupported.contains($0) ? $0 : nil }
    switch last {
    case ".gz": packing = .gzip
    case ".zst": packing = .zstd
    default: packing = nil
    }
    if packing != nil, let ending = name.ending { name = name.dropLast(ending.count) }
    guard let ending = name.ending else {
      (format, unknown) = (nil, nil)
      return
    }
    let named = Format(path: String(name))
    // A database cannot be compressed as a stream.
    guard named?.isDatabase != true || packing == nil else {
      (format, unknown) = (nil, String(ending + (path[...].ending ?? "")))
      return
    }
    format = named
    unknown = named == nil ? String(ending) : nil
  }
}

extension Substring {
  /// From the last dot on; a leading dot begins no ending.
  fileprivate var ending: Substring? {
    guard let dot = lastIndex(of: "."), dot > startIndex else { return nil }
    return self[dot...]
  }
}
