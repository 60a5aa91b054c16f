#if LIBFUZZER
  /// Where libFuzzer begins: the first word of its command line names the target.
  @_cdecl("LLVMFuzzerInitialize")
  func begin(
    count: UnsafeMutablePointer<Int32>,
    words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
  ) -> Int32 {
    precondition(Fuzz.chosen != nil, "which target? one of \(FuzzTarget.all.map(\.name))")
    // What is behind it is libFuzzer's own.
    for index in unsafe 1..<Int(count.pointee) {
      unsafe words.pointee[index] = unsafe words.pointee[index + 1]
    }
    unsafe count.pointee -= 1
    return 0
  }

  /// Takes an input of libFuzzer's.
  @_cdecl("LLVMFuzzerTestOneInput")
  func test(bytes: UnsafePointer<UInt8>?, count: Int) -> Int32 {
    Fuzz.chosen?.run(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  }

  enum Fuzz {
    /// The target that is fuzzed.
    static let chosen = FuzzTarget.all.first { $0.name == CommandLine.arguments.dropFirst().first }
  }
#else
  import Glibc
  import TestSupport

  /// Gives files to a target, one after another, as in `Fuzz TARGET FILE…`; alone it lists the targets.
  @main
  struct Fuzz {
    static func main() throws {
      #if DEBUG
        guard let name = CommandLine.arguments.dropFirst().first else {
          return print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
        }
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
          print("no target is called \(name)")
          exit(2)
        }
        for path in CommandLine.arguments.dropFirst(2) { target.run(try contents(of: path)) }
      #else
        print("only a debug build sees what is fuzzed")
      #endif
    }
  }
#endif
