import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Whether a signal has asked this process to stop, for those who wait for bytes of others.
///
/// The handler of a signal writes a byte into a pipe, and nobody takes it out: whoever waits for a pipe, a terminal or
/// a device waits for that byte, too, and so does everybody who comes later.
public enum StopSignal {
  private static let listening = Atomic<Int32>(-1)

  /// Makes the pipe.
  ///
  /// - Returns: Its ends, which stay open; nil where there can be none.
  public static func open() -> (reading: Int32, writing: Int32)? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A handler may not wait, however many signals come.
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    listening.store(ends[0], ordering: .releasing)
    return (ends[0], ends[1])
  }

  /// Waits until a signal has come.
  public static func waitForIt() {
    while wait(for: -1) {}
  }

  /// Waits until a descriptor can be read, or written to, or a signal has come: false where it has.
  static func wait(for descriptor: Int32, toWrite: Bool = false, milliseconds: Int32 = -1) -> Bool {
    var both = [
      // One below 0 is waited for by nobody.
      pollfd(fd: listening.load(ordering: .acquiring), events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor, events: Int16(toWrite ? POLLOUT : POLLIN), revents: 0),
    ]
    while poll(&both, 2, milliseconds) < 0, errno == EINTR {}
    return both[0].revents == 0
  }
}
