import Platform
import Synchronization

/// Whether this process was asked to stop, for code that blocks on input or output.
///
/// It is a pipe with a byte that is never read, which is polled along with every other pipe, terminal or device.
package enum StopSignal {
  private static let reading = Atomic<Int32>(-1)
  private static let writing = Atomic<Int32>(-1)

  /// Creates the pipe; until then, nothing is ever stopped.
  package static func prepare() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    writing.store(ends[1], ordering: .releasing)
    reading.store(ends[0], ordering: .releasing)
  }

  /// Interrupts all present and future waits.
  package static func raise() {
    withUnsafeBytes(of: UInt8(0)) { _ = SystemCall.write(writing.load(ordering: .acquiring), $0) }
  }

  /// Whether the process was asked to stop.
  package static var isRaised: Bool { !wait(for: -1, milliseconds: 0) }

  /// Waits until a descriptor is ready; returns false if the process was asked to stop.
  package static func wait(for descriptor: Int32, toWrite: Bool = false, milliseconds: Int32 = -1) -> Bool {
    var both = [
      // Negative descriptors are ignored by poll.
      pollfd(fd: reading.load(ordering: .acquiring), events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(toWrite ? POLLOUT : POLLIN), revents: 0),
    ]
    while poll(&both, 2, milliseconds) < 0, errno == EINTR {}
    return both[0].revents == 0
  }
}
