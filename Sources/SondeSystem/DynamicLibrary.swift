import Glibc

/// A C library that is loaded on first use, and stays loaded.
///
/// If the program linked it, the dynamic loader would read it and its dependencies at every start,
/// though most commands do not need it.
public struct DynamicLibrary: Sendable {
  /// The library's name for the dynamic loader, such as `libcurl.so.4`.
  public let name: String

  /// Further names, in order, by which other systems have the library with the same functions and
  /// structures.
  public let otherNames: [String]

  /// The Debian package of the library.
  public let package: String

  /// Names a library without loading it: as Debian does, and as others do.
  public init(_ name: String, _ otherNames: String..., package: String) {
    (self.name, self.otherNames, self.package) = (name, otherNames, package)
  }

  /// Loads the library by the first name that leads to it, and finds its functions.
  ///
  /// The table, which is never freed, consists of function pointers of the library's own types
  /// (`Sources/CSondeLoading/loading.h`), in the order of the names. Throws ``LibraryError`` if the
  /// library or one of the functions cannot be found: about the first name.
  public func load<Functions>(
    _ names: UnsafePointer<UnsafePointer<CChar>>,
    as type: Functions.Type
  ) throws(LibraryError) -> UnsafePointer<Functions> {
    do throws(LibraryError) {
      return unsafe try load(name, names)
    } catch {
      for other in otherNames {
        if let table: UnsafePointer<Functions> = unsafe try? load(other, names) {
          return unsafe table
        }
      }
      throw error
    }
  }

  private func load<Functions>(
    _ library: String,
    _ names: UnsafePointer<UnsafePointer<CChar>>
  ) throws(LibraryError) -> UnsafePointer<Functions> {
    guard let library = unsafe dlopen(library, RTLD_NOW | RTLD_LOCAL) else { throw error() }
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

  /// The reason why the last call failed, by the dynamic loader; it often begins with the name.
  private func error() -> LibraryError {
    let words = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason is known"
    let detail = words.hasPrefix(name + ": ") ? String(words.dropFirst(name.count + 2)) : words
    return LibraryError(library: self, detail: detail)
  }
}

/// The reason why a library cannot be loaded.
public struct LibraryError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The library's name for the dynamic loader.
  public let name: String

  /// The Debian package of the library.
  public let package: String

  /// The message of the dynamic loader.
  public let detail: String

  /// Describes why a library is unusable.
  public init(library: DynamicLibrary, detail: String) {
    (name, package, self.detail) = (library.name, library.package, detail)
  }

  /// The library, the reason and a remedy, in plain words.
  public var description: String { "\(name) cannot be loaded: \(detail); install \(package)" }
}
