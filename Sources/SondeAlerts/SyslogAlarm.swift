import Glibc
import SondeSystem

/// Writes alerts to the system log, on a separate thread, because a stalled log blocks.
///
/// It uses the log's protocol directly, since syslog(3) does not report lost messages.
package actor SyslogAlarm: Alarm {
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

  package func raise(_ alert: NetworkAlert) -> Bool {
    do throws(SystemError) {
      try log.write(alert.words, as: alert.isOnline ? LOG_NOTICE : LOG_WARNING)
    } catch {
      // An alert interrupted by the end of the program counts as not raised.
      if log.interruption.isOver { return false }
      console.error("--syslog: \(log.path): \(error); an alert is lost: \(alert.words)")
    }
    return true
  }
}
