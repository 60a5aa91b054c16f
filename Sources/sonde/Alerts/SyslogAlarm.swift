import Glibc
import System

/// Writes alerts to the system log, on a separate thread, because a log that has stalled blocks.
///
/// It uses the log's protocol directly: syslog(3) does not tell when nobody receives the message.
actor SyslogAlarm: Alarm {
  private let executor = BlockingExecutor(label: "sonde.syslog")
  private let log: SystemLog
  private let console: Console

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Says so if there is no log, but accepts alerts all the same: the log may be started later.
  init(log: SystemLog = SystemLog(), console: Console) {
    self.log = log
    self.console = console
    do throws(SystemError) {
      _ = try log.connect()
    } catch {
      console.error("--syslog: \(log.path): \(error); until it is there, alerts are lost")
    }
  }

  func raise(_ alert: NetworkAlert) -> Bool {
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
