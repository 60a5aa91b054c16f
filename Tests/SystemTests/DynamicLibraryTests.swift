import Glibc
import Testing

@testable import SondeSystem

@Suite struct DynamicLibraryTests {
  /// One function of the C library, as the table of `loading.h` has it.
  private struct Table {
    var function: @convention(c) () -> Int32
  }

  private func load(_ function: String, of library: String) throws(LibraryError) -> Int32 {
    try load(function, of: DynamicLibrary(library, package: "libx9"))
  }

  private func load(_ function: String, of library: DynamicLibrary) throws(LibraryError) -> Int32 {
    do {
      return unsafe try function.withCString { name in
        let table = unsafe try withUnsafePointer(to: name) {
          unsafe try library.load($0, as: Table.self)
        }
        return unsafe table.pointee.function()
      }
    } catch let error as LibraryError {
      throw error
    } catch {
      return 0
    }
  }

  @Test func `a function of a library is found and called`() throws {
    #expect(try load("getpid", of: "libc.so.6") == getpid())
  }

  @Test func `a library that is not there is said, and what to install`() {
    let error = #expect(throws: LibraryError.self) { try load("x", of: "libnone.so.9") }
    let reason = "cannot open shared object file: No such file or directory"
    #expect(error?.description == "libnone.so.9 cannot be loaded: \(reason); install libx9")
  }

  @Test func `a library that lacks a function is said, and which`() {
    let error = #expect(throws: LibraryError.self) { try load("none_such", of: "libc.so.6") }
    #expect(error?.name == "libc.so.6")
    #expect(error?.detail.contains("undefined symbol: none_such") == true)
  }

  @Test func `a library that has another name elsewhere is found by that`() throws {
    let library = DynamicLibrary("libnone.so.9", "libnone.so.8", "libc.so.6", package: "libx9")
    #expect(try load("getpid", of: library) == getpid())
  }

  @Test func `of a library that no name leads to, the first one is said`() {
    let library = DynamicLibrary("libnone.so.9", "libnone.so.8", package: "libx9")
    let error = #expect(throws: LibraryError.self) { try load("x", of: library) }
    #expect(error?.name == "libnone.so.9")
    #expect(error?.description.hasSuffix("install libx9") == true)
  }
}
