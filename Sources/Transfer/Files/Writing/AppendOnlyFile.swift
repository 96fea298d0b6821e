import Platform
import Synchronization

/// A file to which lines are appended atomically.
///
/// A line that cannot be written completely is removed, and the file then accepts no more: if a disk is full only
/// temporarily, lines after a torn one would be lost. The file ends with a torn line only if the removal fails, too, or the
/// machine; the next process then begins a new line.
package final class AppendOnlyFile: Sendable {
  private struct State {
    var descriptor: Int32
    /// Why it accepts no more lines.
    var failure: Failure?
    /// Whether the file is known to end with a whole line.
    var isWhole = false
  }

  package let path: String
  private let header: [UInt8]
  private let state: Mutex<State>
  private let synced = Atomic<Int>(0)

  /// Opens or creates the file.
  ///
  /// - Parameter header: The first line of an empty file.
  /// - Throws: `.cannotWrite`.
  package init(_ path: String, header: [UInt8] = []) throws(Failure) {
    let (descriptor, error) = SystemCall.open(path, O_RDWR | O_CREAT | O_APPEND, mode: 0o600)
    if error != 0 { throw Failure.cannotWrite(path, errno: error) }
    self.path = path
    self.header = header
    state = Mutex(State(descriptor: descriptor))
  }

  deinit { _ = state.withLock { close($0.descriptor) } }

  /// Appends bytes, all or none.
  ///
  /// - Throws: `.cannotWrite`; after a failure, always that first one.
  package func append(_ bytes: [UInt8]) throws(Failure) {
    let failure: Failure? = state.withLock { state in
      if state.failure != nil { return state.failure }
      let start = lseek(state.descriptor, 0, SEEK_END)
      let isTorn = !state.isWhole && start > 0 && Self.isTorn(state.descriptor, at: start)
      let before = start == 0 ? header : isTorn ? [UInt8(ascii: "\n")] : []
      let error = (before.isEmpty ? bytes : before + bytes).withUnsafeBytes {
        SystemCall.write(state.descriptor, $0)
      }
      state.isWhole = error == 0
      if error == 0 { return nil }
      state.failure = Failure.cannotWrite(path, errno: error)
      if start >= 0 { SystemCall.truncate(state.descriptor, to: start) }
      return state.failure
    }
    if let failure { throw failure }
  }

  /// Whether the line before an offset has no line feed.
  private static func isTorn(_ descriptor: Int32, at end: off_t) -> Bool {
    var last: UInt8 = 0
    return pread(descriptor, &last, 1, end - 1) == 1 && last != UInt8(ascii: "\n")
  }

  /// Why it accepts no more lines; nil if it does.
  package var failure: Failure? { state.withLock { $0.failure } }

  /// The number of bytes that are certainly on disk.
  package var syncedLength: Int { synced.load(ordering: .relaxed) }

  package var length: Int { state.withLock { Int(lseek($0.descriptor, 0, SEEK_END)) } }

  /// Waits until no other process holds the lock, if the file system has locks, and holds it as long as this value exists.
  package func lockWaiting() {
    state.withLock { while flock($0.descriptor, LOCK_EX) != 0, errno == EINTR {} }
  }

  /// Locks the file until this process ends; returns false if another process holds the lock.
  package func lock() -> Bool { state.withLock { flock($0.descriptor, LOCK_EX | LOCK_NB) == 0 } }

  /// Flushes all appended bytes to disk.
  ///
  /// - Throws: `.cannotWrite`; then the file accepts no more lines, because its state on disk is unknown.
  package func sync() throws(Failure) {
    let (error, length) = state.withLock { state -> (Int32, Int) in
      let error = SystemCall.synchronize(state.descriptor)
      if error != 0, state.failure == nil { state.failure = Failure.cannotWrite(path, errno: error) }
      return (error, Int(lseek(state.descriptor, 0, SEEK_END)))
    }
    if error != 0, let failure { throw failure }
    synced.store(length, ordering: .relaxed)
  }
}
