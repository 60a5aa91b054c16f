@testable import SondeReachability
@testable import SondeReport
@testable import sonde

/// A moment so many milliseconds after the 1st of January 2026, on a clock that began 1000 s before.
func moment(_ milliseconds: Int) -> Moment {
  let time = Duration.milliseconds(milliseconds)
  return Moment(steady: .seconds(1000) + time, wall: .seconds(1_767_225_600) + time)
}

func transition(
  _ verdict: Verdict,
  previous: Verdict?,
  at milliseconds: Int = 0,
  lost: Int? = nil
) -> NetworkTransition {
  NetworkTransition(
    verdict: verdict,
    previous: previous,
    interface: "eth0",
    endpoint: "ip-api.com:80",
    began: moment(milliseconds),
    lost: lost.map { moment($0) }
  )
}

/// A console that shows nothing but errors.
let silentConsole = Console(isQuiet: true, progress: .none)
