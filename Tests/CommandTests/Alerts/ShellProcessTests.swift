import Foundation
import Glibc
import SondeReachability
import TestSupport
import Testing

@testable import SondeOptions
@testable import SondeAlerts
@testable import sonde

@Suite(.timeLimit(.minutes(1))) struct ShellProcessTests {
  private func end(_ command: String, limit: Duration = .seconds(20)) throws -> ShellProcess.End {
    let process = try ShellProcess(
      command,
      in: Environment.read(),
      variables: [("SONDE_STATE", "off \"line")]
    )
    process.stop(after: limit)
    return process.wait()
  }

  @Test func `it is told how a command ended`() throws {
    #expect(try end("exit 0") == .exited(0))
    #expect(try end("exit 200") == .exited(200))
    #expect(try end("no-such-command-at-all 2>&-") == .exited(127))
    #expect(try end("kill -USR1 $$") == .signalled(SIGUSR1))
    #expect(try end("sleep 60", limit: .milliseconds(50)) == .stopped)
  }

  @Test func `variables arrive as they are, beside the program's own`() throws {
    #expect(try end(#"test "$SONDE_STATE" = 'off "line' && test -n "$PATH""#) == .exited(0))
  }

  @Test func `input is empty and signals are as usual`() throws {
    #expect(try end("read line") == .exited(1))
    #expect(try end("kill -PIPE $$") == .signalled(SIGPIPE))
  }

  @Test func `the whole group is killed and no zombie stays`() throws {
    let process = try ShellProcess(
      "sleep 60 & sleep 60 | cat",
      in: Environment.read(),
      variables: []
    )
    process.stop(after: .milliseconds(200))
    #expect(process.wait() == .stopped)
    expectGone(process)
    #expect(waitpid(process.id, nil, WNOHANG) == -1 && errno == ECHILD)
  }

  /// Orphans are reaped by somebody else, in their own time.
  private func expectGone(_ process: ShellProcess) {
    let deadline = ContinuousClock.now + .seconds(10)
    while process.leavesGroup() || kill(-process.id, 0) == 0, .now < deadline { usleep(1000) }
    #expect(kill(-process.id, 0) == -1 && errno == ESRCH)
  }

  @Test func `a command is asked to end before it is killed`() throws {
    #expect(try end("trap 'exit 3' TERM; sleep 60 & wait", limit: .milliseconds(50)) == .exited(3))
    let start = ContinuousClock.now
    #expect(
      try end("trap '' TERM; sleep 60 & while true; do wait; done", limit: .milliseconds(50))
        == .stopped
    )
    #expect(.now - start >= ShellProcess.grace)
  }

  @Test func `what is left in the background is stopped as well`() throws {
    let process = try ShellProcess("sleep 60 & exit 4", in: Environment.read(), variables: [])
    #expect(process.wait() == .exited(4))
    #expect(process.leavesGroup())
    process.stop()
    expectGone(process)
    let brief = try ShellProcess("sleep 0.1 &", in: Environment.read(), variables: [])
    #expect(brief.wait() == .exited(0))
    expectGone(brief)
    #expect(!brief.leavesGroup())
  }

  @Test func `a shell is reaped soon after its group is gone`() throws {
    let process = try ShellProcess("sleep 0.1 &", in: Environment.read(), variables: [])
    #expect(process.wait() == .exited(0))
    let deadline = ContinuousClock.now + .seconds(10)
    while kill(process.id, 0) == 0, .now < deadline { usleep(1000) }
    #expect(kill(process.id, 0) == -1 && errno == ESRCH)
  }

  @Test func `no file is inherited, be it never marked to be closed`() throws {
    let descriptor = dup(STDIN_FILENO)
    defer { close(descriptor) }
    #expect(try end("test $(ls /proc/self/fd | wc -l) = 4") == .exited(0))
  }

  @Test func `alarms are raised one after the other`() async throws {
    let folder = try ScratchFolder()
    let file = folder.file("told")
    let command = "echo $SONDE_AT >> \(file); sleep 0.05; echo end >> \(file)"
    let queue = AlertQueue(
      "--exec",
      CommandAlarm(command, in: Environment.read(), console: silentConsole),
      silentConsole
    )
    var alerts = NetworkAlerts(host: "gate.example")
    for second in 0..<5 {
      let change = transition(.offline(.linkDown), previous: .online, at: 1000 * second)
      let alert = alerts.alert(for: change)
      queue.append(try #require(alert))
    }
    queue.close()
    await queue.run()
    let lines = try folder.text("told").split(separator: "\n")
    #expect(lines == (0..<5).flatMap { ["2026-01-01T00:00:0\($0).000Z", "end"] })
  }
}
