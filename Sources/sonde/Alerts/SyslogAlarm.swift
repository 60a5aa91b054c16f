import Glibc
import System

/// Writes alerts to the system log, on a thread of its own, because a log that hangs blocks.
///
/// It speaks the log's protocol itself: syslog(3) does not tell when nobody takes the message.
actor SyslogAlarm: Alarm {
  private let executor = BlockingExecutor(label: "sonde.syslog")
  private let log: SystemLog
  private let console: Console

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Says so if there is no log, but takes alerts all the same: it may come.
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
      // Those that the program's end cuts off are counted.
      if log.interruption.isOver { return false }
      console.error("--syslog: \(log.path): \(error); an alert is lost: \(alert.words)")
    }
    return true
  }
}
