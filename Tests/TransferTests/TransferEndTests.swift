import CSondeCurl
import Glibc
import Testing

@testable import SondeTransfer

@Suite struct TransferEndTests {
  private struct Case {
    let end: TransferEnd
    let reason: TransferError.Reason
  }

  @Test func `every result of libcurl and errno has its reason`() {
    func connect(_ number: Int32) -> TransferEnd {
      TransferEnd(code: CURLE_COULDNT_CONNECT, systemError: number, isResolved: true)
    }
    func receive(_ number: Int32) -> TransferEnd {
      TransferEnd(code: CURLE_RECV_ERROR, systemError: number, isResolved: true, isSent: true)
    }
    let cases = [
      Case(end: TransferEnd(code: CURLE_COULDNT_RESOLVE_HOST), reason: .couldNotResolve),
      Case(end: TransferEnd(code: CURLE_COULDNT_RESOLVE_PROXY), reason: .couldNotResolve),
      Case(end: connect(ECONNREFUSED), reason: .connectionRefused),
      Case(end: connect(EHOSTUNREACH), reason: .noRoute),
      Case(end: connect(ENETUNREACH), reason: .noRoute),
      Case(end: connect(ENETDOWN), reason: .noRoute),
      Case(end: connect(EADDRNOTAVAIL), reason: .noRoute),
      Case(end: connect(ETIMEDOUT), reason: .connectTimedOut),
      Case(end: connect(ECONNRESET), reason: .connectionLost),
      Case(end: connect(EHOSTDOWN), reason: .noRoute),
      Case(end: connect(EACCES), reason: .notPermitted),
      Case(end: connect(EPERM), reason: .notPermitted),
      Case(end: connect(EMFILE), reason: .connectionFailed("Too many open files")),
      Case(end: receive(0), reason: .connectionLost),
      Case(end: receive(ECONNRESET), reason: .connectionLost),
      Case(end: receive(ENETDOWN), reason: .noRoute),
      Case(end: receive(EHOSTUNREACH), reason: .noRoute),
      Case(end: receive(ETIMEDOUT), reason: .timedOut),
      Case(end: receive(EPERM), reason: .notPermitted),
      Case(
        end: TransferEnd(code: CURLE_ABORTED_BY_CALLBACK, isSent: true),
        reason: .staleConnection
      ),
      Case(
        end: TransferEnd(code: CURLE_OUT_OF_MEMORY, isSent: true, hasAnswer: true),
        reason: .malformedAnswer("its header is too large")
      ),
      Case(end: TransferEnd(code: CURLE_OUT_OF_MEMORY), reason: .connectionFailed("Out of memory")),
      Case(
        end: TransferEnd(code: CURLE_WRITE_ERROR, isSent: true, hasAnswer: true),
        reason: .malformedAnswer("its compression is broken")
      ),
      Case(end: TransferEnd(code: CURLE_SEND_ERROR, isSent: true), reason: .connectionLost),
      Case(end: TransferEnd(code: CURLE_GOT_NOTHING, isSent: true), reason: .connectionLost),
      Case(end: TransferEnd(code: CURLE_PARTIAL_FILE, isSent: true), reason: .connectionLost),
      Case(end: TransferEnd(code: CURLE_HTTP2_STREAM, isSent: true), reason: .connectionLost),
      Case(
        end: TransferEnd(code: CURLE_RECV_ERROR, isConnected: true, proxyStatus: 407),
        reason: .proxyAnswered(status: 407)
      ),
      Case(
        end: TransferEnd(code: CURLE_PEER_FAILED_VERIFICATION, isConnected: true, detail: "bad"),
        reason: .tls("bad")
      ),
      Case(
        end: TransferEnd(code: CURLE_WRITE_ERROR, isSent: true, isTooLarge: true),
        reason: .bodyTooLarge
      ),
    ]
    let wrong = cases.filter { $0.end.reason != $0.reason }
    #expect(wrong.isEmpty, "\(wrong)")
  }

  @Test func `a time-out means what it interrupted`() {
    var end = TransferEnd(code: CURLE_OPERATION_TIMEDOUT)
    #expect(end.reason == .couldNotResolve && end.phase == .resolving)
    end.isResolved = true
    #expect(end.reason == .connectTimedOut && end.phase == .connecting)
    end.isConnected = true
    #expect(end.reason == .connectTimedOut && end.phase == .securing)
    end.isSent = true
    #expect(end.reason == .timedOut && end.phase == .waiting)
    end.hasAnswer = true
    #expect(end.reason == .timedOut && end.phase == .receiving)
  }

  @Test func `whether a request was sent is told by the phase, whatever the code`() {
    let codes = (0..<100).map { CURLcode(rawValue: UInt32($0)) }
    let steps: [(TransferEnd) -> (end: TransferEnd, wasSent: Bool)] = [
      { ($0, false) },
      { end in
        var end = end
        (end.isResolved, end.isConnected) = (true, true)
        return (end, false)
      },
      { end in
        var end = end
        end.isSent = true
        return (end, true)
      },
      { end in
        var end = end
        (end.isSent, end.hasAnswer) = (true, true)
        return (end, true)
      },
    ]
    let wrong = codes.flatMap { code in
      steps.map { $0(TransferEnd(code: code)) }.filter { end, wasSent in
        TransferError(end.reason, phase: end.phase).wasSent != wasSent
      }
    }
    #expect(wrong.isEmpty, "\(wrong)")
  }

  @Test func `nothing that was sent is said not to have been connected`() {
    for code in (0..<100).map({ CURLcode(rawValue: UInt32($0)) }) {
      let end = TransferEnd(code: code, isSent: true)
      let error = TransferError(end.reason, phase: end.phase)
      #expect(!error.description.contains("could not connect"), "\(code)")
    }
  }

  @Test func `each reason tells what it can about the path`() {
    let table: [(TransferError.Reason, PathEvidence?)] = [
      (.couldNotResolve, .notResolved), (.connectTimedOut, .timedOut), (.noRoute, .noRoute),
      (.notPermitted, .notPermitted), (.connectionRefused, .open), (.tls("x"), .open),
      (.connectionLost, .open), (.bodyTooLarge, .open), (.malformedAnswer("x"), .open),
      (.proxyAnswered(status: 407), .open), (.proxyAnswered(status: 503), .open),
      (.proxyAnswered(status: 302), .loginPage), (.proxyAnswered(status: 511), .loginPage),
      (.connectionFailed("x"), nil), (.staleConnection, nil), (.timedOut, nil),
      (.misconfigured("x"), nil), (.cancelled, nil), (.givenUp, nil),
    ]
    #expect(table.filter { TransferError($0).evidence != $1 }.isEmpty)
    let losses = PathEvidence.allCases.filter(\.isLoss)
    #expect(losses == [.notResolved, .timedOut, .noRoute, .notPermitted, .loginPage])
  }
}
