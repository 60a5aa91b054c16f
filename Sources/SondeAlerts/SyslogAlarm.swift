import Glibc
import SondeSystem

/// Writes alerts to the system log, on a separate thread, because a log that has stalled blocks.
///
/// It uses the log's protocol directly: syslog(3) does not tell when nobody receives the message.
package actor SyslogAlarm: Alarm {
  private let executor = BlockingExecutor(label: "sonde.syslog")
  private let log: SystemLog
  private let console: any AlertLog

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Says so if there is no log, but accepts alerts all the same: the log may be started later.
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
      // An alert that the program's end cuts off is counted as not raised.
      if log.interruption.isOver { return false }
      console.error("--syslog: \(log.path): \(error); an alert is lost: \(alert.words)")
    }
    return true
  }
}
