import CSondeBzip2
import SondeSystem

/// bzip2's functions, loaded when the first input that it packed is read.
enum LibBzip2 {
  // Never written again once they are loaded; each is used by the one owner of its stream.
  private nonisolated(unsafe) static let loaded = unsafe Result {
    () throws(LibraryError) -> UnsafePointer<sonde_bzip2> in
    let library = DynamicLibrary("libbz2.so.1.0", package: "libbz2-1.0")
    return unsafe try library.load(sonde_bzip2_names(), as: sonde_bzip2.self)
  }

  /// The functions.
  ///
  /// - Throws: ``DecoderError`` where bzip2 cannot be loaded.
  static func functions() throws(DecoderError) -> UnsafePointer<sonde_bzip2> {
    do throws(LibraryError) {
      return unsafe try loaded.get()
    } catch {
      throw DecoderError(reason: "\(error)")
    }
  }
}
