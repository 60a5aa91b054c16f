import CSondeLzma
import SondeSystem

/// liblzma's functions, loaded when the first input that xz packed is read.
enum LibLzma {
  // Never written again once they are loaded; each is used by the one owner of its stream.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_lzma> in
    let library = DynamicLibrary("liblzma.so.5", package: "liblzma5")
    return unsafe try library.load(sonde_lzma_names(), as: sonde_lzma.self)
  }

  /// The functions.
  ///
  /// - Throws: ``DecoderError`` where liblzma cannot be loaded.
  static func functions() throws(DecoderError) -> UnsafePointer<sonde_lzma> {
    do throws(LibraryError) {
      return unsafe try loaded.get()
    } catch {
      throw DecoderError(reason: "\(error)")
    }
  }
}
