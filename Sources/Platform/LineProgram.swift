/// Another program that is asked line by line over pipes, and answers each line with one.
///
/// It is the leader of a process group, which is killed with it. Every call blocks, and one is made at a time. Between calls
/// nothing is open: whatever was asked has its answer.
package struct LineProgram: Sendable {
  /// Why answers are missing.
  package enum Problem: Error, Sendable, Equatable {
    /// It cannot be started, with the system's error number.
    case cannotStart(Int32)
    /// The next answer took too long, or its end did.
    case timedOut
    /// It ended before it had answered, or not well; the status is nil if a signal ended it.
    case ended(status: Int32?)
    /// An answer is longer than allowed, or all together are.
    case tooMuch
    /// It said more than it was asked.
    case unasked
    case cancelled
  }

  package struct Limits: Sendable {
    /// The seconds that each answer may take, and the end.
    package var timeout: Double
    /// The bytes of an answer at most.
    package var answer = 16 << 20
    /// The bytes of all answers of a call at most, and of the calls that are made at the same time.
    package var answers = 48 << 20
    /// The bytes of the log at most; what comes after them is dropped.
    package var log = 1 << 20

    package init(timeout: Double) { self.timeout = timeout }
  }

  /// How long to wait before a cancellation is looked for, in milliseconds.
  private static let interval: Int32 = 100
  /// The bytes that are handed over at once, about what a pipe holds.
  private static let portion = 32 << 10
  /// How many answers are worth being awake for, while as many others are being worked on.
  private static let handful = 32
  /// How long a few answers wait for others, in microseconds.
  ///
  /// The program has further lines in its pipe meanwhile.
  private static let pause: UInt32 = 200

  /// The process.
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
  ///   - log: The file to which its standard error is added; nowhere if nil.
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

  /// Asks for some answers; lines are sent ahead of the answers as far as the pipe holds them.
  ///
  /// - Parameters:
  ///   - count: How many lines there are.
  ///   - line: One of them, without its end.
  ///   - taken: Adds to the bytes that were answered, also by other programs that are asked at the same time, and returns them all.
  ///   - answers: One line each, in their order; of the first ones where it fails.
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

  /// Closes its input and waits for its end, without anything more from it.
  ///
  /// It is gone afterwards in any case.
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
        // What it wrote before its end is in the pipe by then.
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

  /// Kills it, after a failed call of ``ask(_:isCancelled:line:answers:)``.
  ///
  /// - Parameter grace: The seconds in which it may end by itself.
  /// - Returns: Its status where it ended by itself, and not by a signal.
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

  // MARK: Its end

  /// Whether it has ended.
  ///
  /// It is left to be reaped, so that its number is nobody else's until then.
  private var hasEnded: Bool {
    var info = siginfo_t()
    info.si_signo = 0
    // Where the system reaps children, there is none any more.
    if waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) != 0 { return errno == ECHILD }
    return info.si_signo != 0
  }

  /// Kills it with all that it started and left behind.
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

  /// What is being sent.
  private struct Sending {
    /// The lines that were handed over whole.
    var done = 0
    /// The lines that are handed over at once.
    var portion: [UInt8] = []
    var sent = 0
    /// Where each line of the portion ends, and the first of them that was not handed over whole.
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

  /// What has come of an answer.
  private struct Receiving {
    var bytes: [UInt8] = []
    /// What is read into: it is asked for often, and little is there each time.
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    /// Where no end of a line was found up to.
    var searched = 0
  }

  /// Sends what the pipe takes.
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

  /// Takes the answers that are there; false where there will be no more.
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
      // A pipe that gives less than it could is empty.
      if count < receiving.chunk.count { return true }
    }
  }

  /// Takes the whole lines of what has come.
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

  /// Adds what it says to people to the log.
  private func drainErrors() {
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    // A bound, because one that says more and more would keep it here.
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
