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
      Failure(code: CURLE_RECV_ERROR, systemError: number, isResolved: true, isSent: true)
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
      Case(failure: connect(EHOSTDOWN), reason: .noRoute),
      Case(failure: connect(EACCES), reason: .notPermitted),
      Case(failure: connect(EPERM), reason: .notPermitted),
      Case(failure: connect(EMFILE), reason: .connectionFailed("Too many open files")),
      Case(failure: receive(0), reason: .connectionLost),
      Case(failure: receive(ECONNRESET), reason: .connectionLost),
      Case(failure: receive(ENETDOWN), reason: .noRoute),
      Case(failure: receive(EHOSTUNREACH), reason: .noRoute),
      Case(failure: receive(ETIMEDOUT), reason: .timedOut),
      Case(failure: receive(EPERM), reason: .notPermitted),
      Case(
        failure: Failure(code: CURLE_ABORTED_BY_CALLBACK, isSent: true),
        reason: .staleConnection
      ),
      Case(
        failure: Failure(code: CURLE_OUT_OF_MEMORY, isSent: true, hasAnswer: true),
        reason: .malformedAnswer("its header is too large")
      ),
      Case(failure: Failure(code: CURLE_OUT_OF_MEMORY), reason: .connectionFailed("Out of memory")),
      Case(
        failure: Failure(code: CURLE_WRITE_ERROR, isSent: true, hasAnswer: true),
        reason: .malformedAnswer("its compression is broken")
      ),
      Case(failure: Failure(code: CURLE_SEND_ERROR, isSent: true), reason: .connectionLost),
      Case(failure: Failure(code: CURLE_GOT_NOTHING, isSent: true), reason: .connectionLost),
      Case(failure: Failure(code: CURLE_PARTIAL_FILE, isSent: true), reason: .connectionLost),
      Case(failure: Failure(code: CURLE_HTTP2_STREAM, isSent: true), reason: .connectionLost),
      Case(
        failure: Failure(code: CURLE_RECV_ERROR, isConnected: true, proxyStatus: 407),
        reason: .connectionFailed("the proxy answered 407")
      ),
      Case(
        failure: Failure(code: CURLE_PEER_FAILED_VERIFICATION, isConnected: true, detail: "bad"),
        reason: .tls("bad")
      ),
      Case(
        failure: Failure(code: CURLE_WRITE_ERROR, isSent: true, isTooLarge: true),
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
    failure.isSent = true
    #expect(failure.reason == .timedOut && failure.phase == .waiting)
    failure.hasAnswer = true
    #expect(failure.reason == .timedOut && failure.phase == .receiving)
  }

  @Test func `whether a request was sent is told by the phase, whatever the code`() {
    let codes = (0..<100).map { CURLcode(rawValue: UInt32($0)) }
    let steps: [(Failure) -> (failure: Failure, wasSent: Bool)] = [
      { ($0, false) },
      { failure in
        var failure = failure
        (failure.isResolved, failure.isConnected) = (true, true)
        return (failure, false)
      },
      { failure in
        var failure = failure
        failure.isSent = true
        return (failure, true)
      },
      { failure in
        var failure = failure
        (failure.isSent, failure.hasAnswer) = (true, true)
        return (failure, true)
      },
    ]
    let wrong = codes.flatMap { code in
      steps.map { $0(Failure(code: code)) }.filter { failure, wasSent in
        TransferError(failure.reason, phase: failure.phase).wasSent != wasSent
      }
    }
    #expect(wrong.isEmpty, "\(wrong)")
  }

  @Test func `nothing that was sent is said not to have been connected`() {
    for code in (0..<100).map({ CURLcode(rawValue: UInt32($0)) }) {
      let failure = Failure(code: code, isSent: true)
      let error = TransferError(failure.reason, phase: failure.phase)
      #expect(!error.description.contains("could not connect"), "\(code)")
    }
  }

  @Test func `each reason tells what it can about the path`() {
    let table: [(TransferError.Reason, PathEvidence?)] = [
      (.couldNotResolve, .notResolved), (.connectTimedOut, .timedOut), (.noRoute, .noRoute),
      (.notPermitted, .notPermitted), (.connectionRefused, .open), (.tls("x"), .open),
      (.connectionLost, .open), (.bodyTooLarge, .open), (.malformedAnswer("x"), .open),
      (.connectionFailed("x"), nil), (.staleConnection, nil), (.timedOut, nil),
      (.misconfigured("x"), nil), (.cancelled, nil), (.givenUp, nil),
    ]
    #expect(table.filter { TransferError($0).evidence != $1 }.isEmpty)
    let losses = PathEvidence.allCases.filter(\.isLoss)
    #expect(losses == [.notResolved, .timedOut, .noRoute, .notPermitted, .loginPage])
  }
}
