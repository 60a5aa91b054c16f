import Glibc

/// A library of C that is loaded when it is first needed, and stays loaded.
///
/// The dynamic loader reads every library that a program links, and all that those need, before the
/// program begins; most commands need none of them.
public struct DynamicLibrary: Sendable {
  /// The name that the dynamic loader knows it by: `libcurl.so.4`.
  public let name: String

  /// Debian's package of it.
  public let package: String

  /// Names a library, and does nothing yet.
  public init(_ name: String, package: String) { (self.name, self.package) = (name, package) }

  /// Loads the library and finds its functions.
  ///
  /// - Parameters:
  ///   - names: The names of the functions, as many and in the order as the table has them.
  ///   - type: The table: pointers to functions and nothing else, each of the library's own type
  ///     (`Sources/CSondeLoading/loading.h`).
  /// - Returns: The table, which stays for good.
  /// - Throws: ``LibraryError`` where the library or a function of it cannot be found.
  public func load<Functions>(
    _ names: UnsafePointer<UnsafePointer<CChar>>,
    as type: Functions.Type
  ) throws(LibraryError) -> UnsafePointer<Functions> {
    guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { throw error() }
    let count = MemoryLayout<Functions>.size / MemoryLayout<UInt>.size
    let table = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: count)
    for index in 0..<count {
      guard let function = unsafe dlsym(library, names[index]) else {
        defer {
          unsafe table.deallocate()
          unsafe dlclose(library)
        }
        throw error()
      }
      unsafe (table + index).initialize(to: function)
    }
    return unsafe UnsafeRawPointer(table).assumingMemoryBound(to: Functions.self)
  }

  /// Why the last call failed: the dynamic loader's words, which often begin with the name.
  private func error() -> LibraryError {
    let words = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason is known"
    let detail = words.hasPrefix(name + ": ") ? String(words.dropFirst(name.count + 2)) : words
    return LibraryError(library: self, detail: detail)
  }
}

/// Why a library cannot be loaded.
public struct LibraryError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name that the dynamic loader knows it by.
  public let name: String

  /// Debian's package of it.
  public let package: String

  /// What the dynamic loader says.
  public let detail: String

  init(library: DynamicLibrary, detail: String) {
    (name, package, self.detail) = (library.name, library.package, detail)
  }

  /// The library, the reason and what helps, for a person.
  public var description: String { "\(name) cannot be loaded: \(detail); install \(package)" }
}
