import Glibc
import SondeSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct SignalsTests {
  @Test func `a signal is told, and ends nothing`() async {
    let urgent = signals(SIGUSR1, SIGUSR2)
    kill(getpid(), SIGUSR2)
    for await number in urgent {
      #expect(number == SIGUSR2)
      break
    }
  }
}
