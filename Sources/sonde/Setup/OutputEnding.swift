import SondeOptions
import SondeOutputs
import SondeRecords

/// What an output's name says of its form.
struct OutputEnding {
  /// The form of the records; `nil` where the name says none.
  let format: Format?

  /// How it is compressed, if it is.
  let packing: Packing?

  /// The ending, where it says no form.
  let unknown: String?

  /// The ending, where it names a compression that is only read.
  let unsupportedPacking: String?

  /// The endings of compressions and archives that are not written.
  private static let unsupported = [
    ".xz", ".bz2", ".lzma", ".lz", ".lz4", ".br", ".z", ".zip", ".7z", ".tgz",
  ]

  /// The endings that say one, for a person.
  static let known = {
    let databases = Format.all.filter(\.isDatabase).flatMap(\.endings)
    let others = Format.all.filter { !$0.isDatabase }.flatMap(\.endings)
    return alternatives(others) + ", each also with .gz or .zst behind it, or "
      + alternatives(databases)
  }()

  /// Reads a path's last ending, and the one before it where that is a compression's.
  init(_ path: String) {
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
    // A database is no stream of members.
    guard named?.isDatabase != true || packing == nil else {
      (format, unknown) = (nil, String(ending + (path[...].ending ?? "")))
      return
    }
    format = named
    unknown = named == nil ? String(ending) : nil
  }
}

extension Substring {
  /// From the last dot on; a dot at the beginning of the name begins no ending.
  fileprivate var ending: Substring? {
    guard let dot = lastIndex(of: "."), dot > startIndex else { return nil }
    return self[dot...]
  }
}
