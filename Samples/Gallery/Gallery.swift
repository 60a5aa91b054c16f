import FoundationEssentials
import Glibc
import SondeSystem

/// `gallery`: serves a page where people log in, view pictures and add their own.
@main
struct Gallery {
  private static let usage = """
    Usage: gallery     serves a page, and prints its address

    Whoever reaches the page may register. The pictures are those of https://picsum.photos;
    GALLERY_URL replaces it.

    """

  private static let output = Descriptor(sharing: 1)

  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    let arguments = CommandLine.arguments.dropFirst()
    do {
      switch arguments.first {
      case nil: exit(try await serve())
      case "-h", "--help":
        try output.write(usage)
        exit(0)
      default:
        tell("there are no arguments but --help")
        exit(2)
      }
    } catch let error as SystemError {
      tell("cannot write to stdout: \(error)")
      exit(1)
    } catch {
      tell("\(error)")
      if error is SetupError { exit(2) } else { exit(1) }
    }
  }

  private static func serve() async throws -> Int32 {
    let signals = signals(SIGINT, SIGTERM)
    let server = try await PageServer(environment: ProcessInfo.processInfo.environment)
    let work = Task { await server.run() }
    tell("Ctrl-C ends the gallery")
    try output.write("\(server.address)\n")
    for await _ in signals { break }
    work.cancel()
    await server.stop()
    return 0
  }
}

/// Writes a message to stderr.
func tell(_ words: String) {
  try? Descriptor(sharing: 2).write("gallery: \(words)\n")
}

/// The settings are invalid.
struct SetupError: Error, CustomStringConvertible {
  let description: String
}
