import Glibc
import SondeSystem

/// Writes alerts to the system log, on a separate thread, because a stalled log blocks.
///
/// It uses the log's protocol directly, since syslog(3) does not report lost messages.
package actor SyslogAlarm: Alarm, TestableAlarm {
  private let executor = BlockingExecutor(label: "sonde.syslog")
  private let log: SystemLog
  private let console: any AlertLog

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates an alarm; a missing log is reported, but may be started later.
  package init(log: SystemLog, console: any AlertLog) {
    self.log = log
    self.console = console
    do throws(SystemError) {
      _ = try log.connect()
    } catch {
      console.error("--syslog: \(log.path): \(error); until it is there, alerts are lost")
    }
  }

  package func raise(_ alert: Alert) -> Bool {
    do throws(SystemError) {
      try write(alert)
    } catch {
      // An alert interrupted by the end of the program counts as not raised.
      if log.interruption.isOver { return false }
      console.error("--syslog: \(log.path): \(error); an alert is lost: \(alert.logLine)")
    }
    return true
  }

  package func attempt(_ alert: Alert) -> AlertAttempt {
    do throws(SystemError) {
      try write(alert)
      return AlertAttempt(isTaken: true, words: "\(log.path) took the line")
    } catch {
      return AlertAttempt(isTaken: false, words: "\(log.path): \(error)")
    }
  }

  private func write(_ alert: Alert) throws(SystemError) {
    try log.write(alert.logLine, as: alert.severity == .info ? LOG_NOTICE : LOG_WARNING)
  }
}
