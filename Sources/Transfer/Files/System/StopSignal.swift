import Platform
import Synchronization

/// Whether this process was asked to stop, for those who wait for bytes of others.
///
/// It is a pipe with a byte in it that nobody takes out: whoever waits for another pipe, a terminal or a device waits for
/// that byte, too, and so does everybody who comes later.
package enum StopSignal {
  private static let reading = Atomic<Int32>(-1)
  private static let writing = Atomic<Int32>(-1)

  /// Makes the pipe; before it, nobody is stopped.
  package static func prepare() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    writing.store(ends[1], ordering: .releasing)
    reading.store(ends[0], ordering: .releasing)
  }

  /// Asks everybody to stop who waits.
  package static func raise() {
    withUnsafeBytes(of: UInt8(0)) { _ = SystemCall.write(writing.load(ordering: .acquiring), $0) }
  }

  /// Waits until a descriptor can be read, or written to, or a signal has come: false where it has.
  static func wait(for descriptor: Int32, toWrite: Bool = false, milliseconds: Int32 = -1) -> Bool {
    var both = [
      // One below 0 is waited for by nobody.
      pollfd(fd: reading.load(ordering: .acquiring), events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(toWrite ? POLLOUT : POLLIN), revents: 0),
    ]
    while poll(&both, 2, milliseconds) < 0, errno == EINTR {}
    return both[0].revents == 0
  }
}
