import Foundation
import Glibc
import TestSupport
import Testing

@testable import SondeTransfer

/// A server with a certificate that only its own file vouches for.
@Suite(.timeLimit(.minutes(1)), .enabled(if: SelfSignedServer.isPossible)) struct TLSTests {
  @Test func `a certificate nobody vouches for is a TLS failure without secrets`() async throws {
    let server = try SelfSignedServer()
    let request = Request(url: server.url + "/s3cret?key=s3cret", bearerToken: "s3cret")
    let error = await failure(of: request, from: try makeClient())
    guard case .tls(let detail)? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(detail.contains("self-signed") || detail.contains("self signed"))
    #expect(error?.phase == .securing)
    #expect(error?.evidence == .open)
    #expect(error?.description.contains("s3cret") == false)
  }

  @Test func `a certificate of the configured file is trusted, and a token may go out`()
    async throws
  {
    let server = try SelfSignedServer()
    let authorities = CertificateAuthorities(file: server.certificate)
    let client = try makeClient(authorities: authorities)
    let response = try await client.send(Request(url: server.url, bearerToken: "s3cret"))
    #expect(response.status == 200)
    #expect(response.looksLikeLoginPage)
  }

  @Test func `a certificate of another host is a TLS failure`() async throws {
    let server = try SelfSignedServer()
    let authorities = CertificateAuthorities(file: server.certificate)
    let request = Request(url: "https://localhost:\(server.port)/")
    let error = await failure(of: request, from: try makeClient(authorities: authorities))
    guard case .tls? = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func `a file of certificates that is missing is the configuration's fault`() async throws {
    let server = try SelfSignedServer()
    let authorities = CertificateAuthorities(file: server.certificate + ".missing")
    let client = try makeClient(authorities: authorities)
    let error = await failure(of: Request(url: server.url), from: client)
    #expect(error?.reason == .misconfigured("the file of trusted certificates is bad"))
  }
}

/// `openssl s_server -www` with a certificate for 127.0.0.1; it answers every GET with HTML.
private final class SelfSignedServer {
  private static let tool = "/usr/bin/openssl"
  static var isPossible: Bool { FileManager.default.isExecutableFile(atPath: tool) }

  let port: Int
  var certificate: String { folder.file("certificate.pem") }
  var url: String { "https://127.0.0.1:\(port)" }
  private let folder: ScratchFolder
  private let process: Process

  init() throws {
    folder = try ScratchFolder()
    let maker = try SelfSignedServer.run(
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days"]
        + ["2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
        + ["-keyout", "key.pem", "-out", "certificate.pem"],
      in: folder
    )
    maker.waitUntilExit()
    let output = Pipe()
    process = try SelfSignedServer.run(
      [
        "s_server", "-accept", "127.0.0.1:0", "-www", "-key", "key.pem", "-cert", "certificate.pem",
      ],
      in: folder,
      output: output
    )
    port = SelfSignedServer.readPort(output.fileHandleForReading)
  }

  deinit {
    // Not SIGTERM: a child of a thread of the shared pool has that blocked, as its parent has.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private static func run(
    _ arguments: [String],
    in folder: ScratchFolder,
    output: Pipe? = nil
  ) throws -> Process {
    let process = Process()
    process.executableURL = URL(filePath: tool)
    process.arguments = arguments
    process.currentDirectoryURL = URL(filePath: folder.path)
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardOutput = output ?? FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Reads on to a line `ACCEPT 127.0.0.1:PORT`; 0 when the server ends before it says so.
  private static func readPort(_ output: FileHandle) -> Int {
    var text = ""
    while true {
      let chunk = output.availableData
      guard !chunk.isEmpty else { return 0 }
      text += String(decoding: chunk, as: UTF8.self)
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      guard let line = lines.first(where: { $0.hasPrefix("ACCEPT ") }),
        let port = line.split(separator: ":").last.flatMap({ Int($0) })
      else { continue }
      return port
    }
  }
}
