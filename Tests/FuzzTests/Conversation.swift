import Dispatch
import FirestoreModels
import Synchronization

@testable import FirestoreREST

/// Has a client talk to a service that answers with the input: the first byte is what it does, of `kinds` if there are any, the
/// rest records behind 0x1E, of which the first byte is the kind of answer.
///
/// When all were given, they are given again, so that only the client can end it.
func converse(
  _ input: [UInt8],
  kinds: String? = nil,
  limit: Int = 20_000,
  answer: @escaping @Sendable (HTTPRequest, _ record: [UInt8]) -> HTTPResponse,
  _ body: @escaping @Sendable (ServiceCaller, _ kind: UInt8) async throws(Failure) -> Void
) {
  let records = input.dropFirst().split(separator: 0x1E).map { Array($0) }
  guard let kind = input.first, kinds?.utf8.contains(kind) ?? true, !records.isEmpty else { return }
  let done = DispatchSemaphore(value: 0)
  start(kind, RecordedAnswers(records, limit: limit, done, answer), body)
  // Also a page that was asked for ahead has to be over: it would run into the next input, or into the end of the
  // process, when C++ has taken down already what it parses with.
  done.wait()
}

/// Talks in a task; nobody but the client holds the transport then.
private func start(
  _ kind: UInt8,
  _ transport: RecordedAnswers,
  _ body: @escaping @Sendable (ServiceCaller, UInt8) async throws(Failure) -> Void
) {
  let time = Mutex(0.0)
  let clock = RunClock(
    now: { time.withLock { $0 } },
    sleep: { seconds in time.withLock { $0 += seconds } },
    random: { 0.5 }
  )
  let caller = ServiceCaller(
    transport: transport,
    credentials: TokenProvider(Credentials(.emulatorOwner), transport: transport),
    clock: clock
  )
  Task {
    do throws(Failure) {
      try await body(caller, kind)
    } catch {
      expect(!error.description.contains("\n"), "an error of several lines")
    }
  }
}

/// Gives one record after another and begins again behind the last; signals when nobody holds it any more.
private final class RecordedAnswers: HTTPTransport {
  private let records: [[UInt8]]
  private let limit: Int
  private let done: DispatchSemaphore
  private let answer: @Sendable (HTTPRequest, [UInt8]) -> HTTPResponse
  private let sent = Mutex(0)

  init(
    _ records: [[UInt8]],
    limit: Int,
    _ done: DispatchSemaphore,
    _ answer: @escaping @Sendable (HTTPRequest, [UInt8]) -> HTTPResponse
  ) {
    (self.records, self.limit, self.done, self.answer) = (records, limit, done, answer)
  }

  deinit { done.signal() }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let number = sent.withLock { sent in
      sent += 1
      return sent - 1
    }
    expect(number < limit, "a conversation does not end: \(number) requests")
    let record = records[number % records.count]
    let response = answer(request, record)
    switch record[0] {
    case UInt8(ascii: "x"): throw TransportError(.lost, "cut")
    case UInt8(ascii: "n"): throw TransportError(.notConnected, "refused")
    case UInt8(ascii: "b"): throw TransportError(.bodyTooLarge, "too large")
    default: return response
    }
  }
}
