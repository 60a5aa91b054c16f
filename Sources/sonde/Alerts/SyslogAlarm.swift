import Glibc
import Store
import System

/// Writes alerts to the system log (syslog(3)), on a thread of its own, because a log that hangs
/// blocks.
actor SyslogAlarm: Alarm {
  private let executor = BlockingExecutor(label: "sonde.syslog")

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  init() {
    // The name must outlive the process's last message: it is never freed.
    unsafe openlog(strdup("sonde"), LOG_PID, LOG_DAEMON)
  }

  func raise(_ alert: NetworkAlert) {
    unsafe alert.words.withCString { words in
      unsafe withVaList([words]) { arguments in
        unsafe vsyslog(alert.isOnline ? LOG_NOTICE : LOG_WARNING, "%s", arguments)
      }
    }
  }
}
