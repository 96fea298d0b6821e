import Dispatch
import Foundation
import Glibc
import Synchronization

/// A running program.
package final class RunningBinary: Sendable {
  /// One of the two outputs.
  package enum Stream: Sendable {
    /// Standard output.
    case output
    /// Standard error.
    case errors
  }

  private struct Waiter {
    var stream: Stream
    var text: [UInt8]
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var output: [UInt8] = []
    var errors: [UInt8] = []
    var outputIsOpen = true
    var errorsAreOpen = true
    /// The wait status, once the process is reaped; no signal may be sent from then on.
    var status: Int32?
    var timedOut = false
    var result: RunResult?
    var waiting: [CheckedContinuation<RunResult, Never>] = []
    var watching: [Waiter] = []
  }

  /// The number of the process, which is also that of its group.
  package let processIdentifier: Int32
  private let state = Mutex(State())

  init(
    _ executable: String,
    _ arguments: [String],
    _ environment: [String],
    _ directory: String,
    _ input: [UInt8],
    _ timeout: Duration
  ) throws {
    let spawned = try Spawned(executable, arguments, environment, directory)
    processIdentifier = spawned.identifier
    let group = DispatchGroup()
    thread(in: group) { Self.write(input, to: spawned.input) }
    thread(in: group) { self.collect(spawned.output, .output) }
    thread(in: group) { self.collect(spawned.errors, .errors) }
    thread(in: group) { self.reap() }
    group.notify(queue: .global()) { self.finish() }
    let seconds = Double(timeout.components.seconds) + Double(timeout.components.attoseconds) / 1e18
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in self?.giveUp() }
  }

  // MARK: For tests

  /// The text written so far.
  package func text(_ stream: Stream) -> String {
    state.withLock { String(decoding: stream == .output ? $0.output : $0.errors, as: UTF8.self) }
  }

  /// Sends a signal to the process (not to its children); false if it has ended.
  @discardableResult
  package func send(_ signal: Int32) -> Bool {
    state.withLock { $0.status == nil && kill(processIdentifier, signal) == 0 }
  }

  /// Waits until the program ends.
  package func wait() async -> RunResult {
    await withCheckedContinuation { continuation in
      let result = state.withLock { state in
        if state.result == nil { state.waiting.append(continuation) }
        return state.result
      }
      if let result { continuation.resume(returning: result) }
    }
  }

  /// Waits until the output contains a text; false if it ended without it.
  package func waitForText(_ text: String, on stream: Stream = .output) async -> Bool {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        state.watching.append(Waiter(stream: stream, text: Array(text.utf8), continuation: continuation))
      }
      look()
    }
  }

  // MARK: Threads

  private func thread(in group: DispatchGroup, _ work: @escaping @Sendable () -> Void) {
    group.enter()
    Thread.detachNewThread {
      work()
      group.leave()
    }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) {
    // A pipe that nobody reads must fail, not kill the tests.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { break }
      rest = rest.dropFirst(max(0, count))
    }
    close(descriptor)
  }

  private func collect(_ descriptor: Int32, _ stream: Stream) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      state.withLock { state in
        if stream == .output { state.output += buffer[..<count] } else { state.errors += buffer[..<count] }
      }
      look()
    }
    close(descriptor)
    state.withLock { state in
      if stream == .output { state.outputIsOpen = false } else { state.errorsAreOpen = false }
    }
    look()
  }

  private func reap() {
    var information = siginfo_t()
    while waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    // Not reaped yet, so the number still is this process's and its group's: what it left behind goes first.
    kill(-processIdentifier, SIGKILL)
    state.withLock { state in
      var status: Int32 = 0
      while waitpid(processIdentifier, &status, 0) < 0, errno == EINTR {}
      state.status = status
    }
  }

  private func giveUp() {
    state.withLock { state in
      guard state.status == nil else { return }
      state.timedOut = true
      kill(-processIdentifier, SIGKILL)
    }
  }

  private func finish() {
    let (result, waiting) = state.withLock { state in
      let status = state.status ?? 0
      let signal = status & 0x7F
      let result = RunResult(
        standardOutput: state.output,
        standardError: state.errors,
        exitCode: signal == 0 ? (status >> 8) & 0xFF : 128 + signal,
        signal: signal == 0 ? nil : signal,
        timedOut: state.timedOut
      )
      state.result = result
      defer { state.waiting = [] }
      return (result, state.waiting)
    }
    for continuation in waiting { continuation.resume(returning: result) }
  }

  /// Answers those who wait for a text that has come, or that cannot come any more.
  private func look() {
    let answered = state.withLock { state in
      var answered: [(CheckedContinuation<Bool, Never>, Bool)] = []
      state.watching.removeAll { waiter in
        let isOutput = waiter.stream == .output
        let found = Data(isOutput ? state.output : state.errors).range(of: Data(waiter.text)) != nil
        guard found || !(isOutput ? state.outputIsOpen : state.errorsAreOpen) else { return false }
        answered.append((waiter.continuation, found))
        return true
      }
      return answered
    }
    for (continuation, found) in answered { continuation.resume(returning: found) }
  }
}
