/// Another program that answers each line sent to it with one line, over pipes.
///
/// It leads its own process group, which is killed with it. All calls block, and only one may be made at a time. Between calls
/// nothing is pending: every line that was sent has its answer.
package struct LineProgram: Sendable {
  /// Why answers are missing.
  package enum Problem: Error, Sendable, Equatable {
    /// It cannot be started, with the system's error number.
    case cannotStart(Int32)
    /// The next answer, or the end of the program, took too long.
    case timedOut
    /// The program ended before it had answered, or failed; the status is nil if a signal ended it.
    case ended(status: Int32?)
    /// An answer, or all answers together, exceed the limit.
    case tooMuch
    /// It answered more than it was asked.
    case unasked
    case cancelled
  }

  package struct Limits: Sendable {
    /// The maximum time for each answer, and for the end of the program, in seconds.
    package var timeout: Double
    /// The maximum size of an answer in bytes.
    package var answer = 16 << 20
    /// The maximum size of all answers of a call and of concurrent calls to other programs, in bytes.
    package var answers = 48 << 20
    /// The maximum size of the log in bytes; everything beyond it is dropped.
    package var log = 1 << 20

    package init(timeout: Double) { self.timeout = timeout }
  }

  /// How long to wait before checking for cancellation, in milliseconds.
  private static let interval: Int32 = 100
  /// The number of bytes to write at once, about the capacity of a pipe.
  private static let portion = 32 << 10
  /// The number of answers worth waking up for while as many others are being computed.
  private static let handful = 32
  /// How long a few answers wait for others, in microseconds.
  ///
  /// Meanwhile the program has further lines in its pipe.
  private static let pause: UInt32 = 200

  /// The process ID.
  package let child: Int32
  private let input: Int32
  private let output: Int32
  private let errors: Int32
  private let log: Int32
  private let limits: Limits

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: The program, looked up in `PATH` if it has no slash, and its arguments.
  ///   - environment: All of its environment variables.
  ///   - log: The file to which its standard error is appended; discarded if nil.
  package init(
    _ words: [String],
    environment: [String: String],
    log: String?,
    limits: Limits
  ) throws(Problem) {
    var pipes: [Int32] = []
    for _ in 0..<3 {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else {
        let error = errno
        for end in pipes { close(end) }
        throw .cannotStart(error)
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      pipes += ends
    }
    let (child, error) = ChildProcess.spawn(words, environment: environment.map { "\($0.key)=\($0.value)" }) {
      posix_spawn_file_actions_adddup2(&$0, pipes[0], 0)
      posix_spawn_file_actions_adddup2(&$0, pipes[3], 1)
      posix_spawn_file_actions_adddup2(&$0, pipes[5], 2)
    }
    for end in [pipes[0], pipes[3], pipes[5]] { close(end) }
    (input, output, errors) = (pipes[1], pipes[2], pipes[4])
    for end in [input, output, errors] {
      if error != 0 { close(end) } else { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }
    if error != 0 { throw .cannotStart(error) }
    self.log = log.map { open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) } ?? -1
    self.child = child
    self.limits = limits
  }

  /// Requests answers; lines are sent ahead of the answers as far as the pipe accepts them.
  ///
  /// - Parameters:
  ///   - count: The number of lines.
  ///   - line: Returns a line, without its terminator.
  ///   - taken: Adds to the number of answered bytes, including those of programs that are asked concurrently, and returns the
  ///     total.
  ///   - answers: Receives one line per answer, in order; if the call fails, only the first ones.
  package func ask(
    _ count: Int,
    isCancelled: () -> Bool,
    line: (Int) -> [UInt8],
    taken: (Int) -> Int,
    answers: inout [[UInt8]]
  ) throws(Problem) {
    var sending = Sending()
    var receiving = Receiving()
    try receive(&receiving, &answers, asked: 0, taken)
    var end = ContinuousClock.now + .seconds(limits.timeout)
    while answers.count < count {
      send(&sending, count, line)
      let known = answers.count
      let isOpen = try receive(&receiving, &answers, asked: sending.done, taken)
      if answers.count > known {
        end = ContinuousClock.now + .seconds(limits.timeout)
        let isOutpaced = answers.count - known < Self.handful && sending.done - answers.count >= Self.handful
        if isOutpaced { usleep(Self.pause) }
        continue
      }
      drainErrors()
      if !isOpen { throw .ended(status: nil) }
      if isCancelled() { throw .cancelled }
      if ContinuousClock.now >= end { throw .timedOut }
      wait(toSend: !sending.isDone(count))
    }
    drainErrors()
    try receive(&receiving, &answers, asked: count, taken)
    if !receiving.bytes.isEmpty { throw .unasked }
  }

  /// Closes the program's input and waits for it to end without further output.
  ///
  /// The program has ended afterwards in any case.
  package func finish(isCancelled: () -> Bool) throws(Problem) {
    close(input)
    let problem = waitForEnd(isCancelled)
    let status = reap()
    closeOutputs()
    if let problem { throw problem }
    if status != 0 { throw .ended(status: Self.code(status)) }
  }

  private func waitForEnd(_ isCancelled: () -> Bool) -> Problem? {
    let end = ContinuousClock.now + .seconds(limits.timeout)
    var receiving = Receiving()
    var none: [[UInt8]] = []
    do throws(Problem) {
      while true {
        // Everything it wrote before its end is in the pipe by now.
        let hasEnded = hasEnded
        try receive(&receiving, &none, asked: 0) { $0 }
        drainErrors()
        if !receiving.bytes.isEmpty { return .unasked }
        if hasEnded { return nil }
        if isCancelled() { return .cancelled }
        if ContinuousClock.now >= end { return .timedOut }
        wait(toSend: false, atMost: 10)
      }
    } catch {
      return error
    }
  }

  /// Kills the program, after a failed call of ``ask(_:isCancelled:line:answers:)``.
  ///
  /// - Parameter grace: The seconds in which it may end by itself.
  /// - Returns: Its status if it ended by itself, and not by a signal.
  @discardableResult
  package func stop(grace: Double = 0) -> Int32? {
    close(input)
    let end = ContinuousClock.now + .seconds(grace)
    var ended = hasEnded
    while !ended, ContinuousClock.now < end {
      drainErrors()
      usleep(5_000)
      ended = hasEnded
    }
    drainErrors()
    let status = reap()
    closeOutputs()
    return ended ? Self.code(status) : nil
  }

  // MARK: Ending

  /// Whether the program has ended.
  ///
  /// It is not reaped yet, so that its process ID cannot be reused.
  private var hasEnded: Bool {
    var info = siginfo_t()
    info.si_signo = 0
    // If the system reaps children automatically, it no longer exists.
    if waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 { return errno == ECHILD }
    return info.si_signo != 0
  }

  /// Kills the program together with everything that it started and left running.
  private func reap() -> Int32 {
    kill(-child, SIGKILL)
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status
  }

  private static func code(_ status: Int32) -> Int32? {
    // The low seven bits are the signal that ended it, if any.
    status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
  }

  private func closeOutputs() {
    close(output)
    close(errors)
    if log >= 0 { close(log) }
  }

  // MARK: Pipes

  private struct Sending {
    /// The number of lines that were sent completely.
    var done = 0
    /// The lines that are written at once.
    var portion: [UInt8] = []
    var sent = 0
    /// The end of each line in the portion, and the first line that was not sent completely.
    var ends: [Int] = []
    var next = 0
    /// Whether nobody reads any more.
    var isBroken = false

    func isDone(_ count: Int) -> Bool { isBroken || done == count }

    mutating func fill(_ count: Int, _ line: (Int) -> [UInt8]) {
      portion.removeAll(keepingCapacity: true)
      ends.removeAll(keepingCapacity: true)
      (sent, next) = (0, 0)
      while done + ends.count < count, portion.count < LineProgram.portion {
        portion += line(done + ends.count)
        portion.append(UInt8(ascii: "\n"))
        ends.append(portion.count)
      }
    }

    mutating func took(_ bytes: Int) {
      sent += bytes
      while next < ends.count, ends[next] <= sent { (next, done) = (next + 1, done + 1) }
    }
  }

  private struct Receiving {
    var bytes: [UInt8] = []
    /// The read buffer, reused because reads are frequent and small.
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    /// The position up to which no line end was found.
    var searched = 0
  }

  /// Sends as much as the pipe accepts.
  private func send(_ sending: inout Sending, _ count: Int, _ line: (Int) -> [UInt8]) {
    while !sending.isDone(count) {
      if sending.sent == sending.portion.count { sending.fill(count, line) }
      let written = sending.portion.withUnsafeBytes { bytes in
        write(input, bytes.baseAddress.map { $0 + sending.sent }, bytes.count - sending.sent)
      }
      if written < 0 {
        if errno == EINTR { continue }
        sending.isBroken = errno != EAGAIN
        return
      }
      sending.took(written)
    }
  }

  /// Receives the available answers; returns false if there will be no more.
  @discardableResult
  private func receive(
    _ receiving: inout Receiving,
    _ answers: inout [[UInt8]],
    asked: Int,
    _ taken: (Int) -> Int
  ) throws(Problem) -> Bool {
    while true {
      let count = read(output, &receiving.chunk, receiving.chunk.count)
      if count == 0 { return false }
      if count < 0 {
        if errno == EINTR { continue }
        return errno == EAGAIN
      }
      if taken(count) > limits.answers { throw .tooMuch }
      receiving.bytes += receiving.chunk[..<count]
      try split(&receiving, &answers, asked: asked)
      if receiving.bytes.count > limits.answer { throw .tooMuch }
      // A read shorter than the buffer has emptied the pipe.
      if count < receiving.chunk.count { return true }
    }
  }

  /// Splits the received bytes into complete lines.
  private func split(
    _ receiving: inout Receiving,
    _ answers: inout [[UInt8]],
    asked: Int
  ) throws(Problem) {
    var start = 0
    while let end = receiving.bytes[receiving.searched...].firstIndex(of: UInt8(ascii: "\n")) {
      if answers.count >= asked { throw .unasked }
      answers.append(Array(receiving.bytes[start..<end]))
      start = end + 1
      receiving.searched = start
    }
    receiving.bytes.removeSubrange(..<start)
    receiving.searched = receiving.bytes.count
  }

  /// Appends the program's standard error to the log.
  private func drainErrors() {
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    // Bounded, because a program that keeps writing would never let this return.
    for _ in 0..<64 {
      let count = read(errors, &chunk, chunk.count)
      if count <= 0 { return }
      let room = limits.log - Int(lseek(log, 0, SEEK_END))
      if log >= 0, room > 0 { _ = write(log, chunk, min(count, room)) }
    }
  }

  /// Waits until something can be read or sent.
  private func wait(toSend: Bool, atMost milliseconds: Int32 = interval) {
    var waits = [
      pollfd(fd: output, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errors, events: Int16(POLLIN), revents: 0),
      pollfd(fd: toSend ? input : -1, events: Int16(POLLOUT), revents: 0),
    ]
    _ = poll(&waits, nfds_t(waits.count), milliseconds)
  }
}
