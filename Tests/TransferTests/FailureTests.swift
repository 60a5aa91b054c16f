import CCurl
import Glibc
import Testing

@testable import Transfer

@Suite struct FailureTests {
  private struct Case {
    let failure: Failure
    let reason: TransferError.Reason
  }

  @Test func `every result of libcurl and errno has its reason`() {
    func connect(_ number: Int32) -> Failure {
      Failure(code: CURLE_COULDNT_CONNECT, systemError: number, isResolved: true)
    }
    func receive(_ number: Int32) -> Failure {
      Failure(code: CURLE_RECV_ERROR, systemError: number, isResolved: true, isReady: true)
    }
    let cases = [
      Case(failure: Failure(code: CURLE_COULDNT_RESOLVE_HOST), reason: .couldNotResolve),
      Case(failure: Failure(code: CURLE_COULDNT_RESOLVE_PROXY), reason: .couldNotResolve),
      Case(failure: connect(ECONNREFUSED), reason: .connectionRefused),
      Case(failure: connect(EHOSTUNREACH), reason: .noRoute),
      Case(failure: connect(ENETUNREACH), reason: .noRoute),
      Case(failure: connect(ENETDOWN), reason: .noRoute),
      Case(failure: connect(EADDRNOTAVAIL), reason: .noRoute),
      Case(failure: connect(ETIMEDOUT), reason: .connectTimedOut),
      Case(failure: connect(ECONNRESET), reason: .connectionLost),
      Case(failure: connect(EACCES), reason: .connectionFailed("Permission denied")),
      Case(failure: receive(0), reason: .connectionLost),
      Case(failure: receive(ECONNRESET), reason: .connectionLost),
      Case(failure: receive(ENETDOWN), reason: .noRoute),
      Case(failure: receive(EHOSTUNREACH), reason: .noRoute),
      Case(failure: receive(ETIMEDOUT), reason: .timedOut),
      Case(failure: Failure(code: CURLE_SEND_ERROR, isReady: true), reason: .connectionLost),
      Case(failure: Failure(code: CURLE_GOT_NOTHING, isReady: true), reason: .connectionLost),
      Case(failure: Failure(code: CURLE_PARTIAL_FILE, isReady: true), reason: .connectionLost),
      Case(failure: Failure(code: CURLE_HTTP2_STREAM, isReady: true), reason: .connectionLost),
      Case(
        failure: Failure(code: CURLE_RECV_ERROR, isConnected: true, proxyStatus: 407),
        reason: .connectionFailed("the proxy answered 407")
      ),
      Case(
        failure: Failure(code: CURLE_PEER_FAILED_VERIFICATION, isConnected: true, detail: "bad"),
        reason: .tls("bad")
      ),
      Case(
        failure: Failure(code: CURLE_WRITE_ERROR, isReady: true, isTooLarge: true),
        reason: .bodyTooLarge
      ),
    ]
    let wrong = cases.filter { $0.failure.reason != $0.reason }
    #expect(wrong.isEmpty, "\(wrong)")
  }

  @Test func `a time-out means what it interrupted`() {
    var failure = Failure(code: CURLE_OPERATION_TIMEDOUT)
    #expect(failure.reason == .couldNotResolve && failure.phase == .resolving)
    failure.isResolved = true
    #expect(failure.reason == .connectTimedOut && failure.phase == .connecting)
    failure.isConnected = true
    #expect(failure.reason == .connectTimedOut && failure.phase == .securing)
    failure.isReady = true
    #expect(failure.reason == .timedOut && failure.phase == .waiting)
    failure.hasAnswer = true
    #expect(failure.reason == .timedOut && failure.phase == .receiving)
  }

  @Test func `no reason is both the network's fault and proof of the network`() {
    let reasons: [TransferError.Reason] = [
      .couldNotResolve, .connectTimedOut, .connectionRefused, .noRoute, .connectionFailed("x"),
      .tls("x"), .timedOut, .connectionLost, .bodyTooLarge, .malformedAnswer("x"),
      .misconfigured("x"), .cancelled,
    ]
    let errors = reasons.map { TransferError($0) }
    #expect(
      errors.filter(\.isNetworkLoss).map(\.reason) == [
        .couldNotResolve, .connectTimedOut, .noRoute,
      ]
    )
    #expect(errors.filter { $0.isNetworkLoss && $0.provesWayOpen }.isEmpty)
  }
}
