import CSondeLzma
import SondeSystem

/// liblzma's functions, loaded with the first input in xz format.
enum LibLzma {
  // Never written after loading; each function is used by the only owner of its stream.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_lzma> in
    let library = DynamicLibrary("liblzma.so.5", package: "liblzma5")
    return unsafe try library.load(sonde_lzma_names(), as: sonde_lzma.self)
  }

  /// Returns the functions; throws if liblzma cannot be loaded.
  static func functions() throws(DecoderError) -> UnsafePointer<sonde_lzma> {
    do throws(LibraryError) {
      return unsafe try loaded.get()
    } catch {
      throw DecoderError(reason: "\(error)")
    }
  }
}
