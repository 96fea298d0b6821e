package import FirestoreModels
import Platform
import Synchronization

/// A file that lines are appended to, each whole or not at all.
///
/// What cannot be written whole is taken back, and the file takes nothing more from then on: on a disk that is full for a
/// moment, a line behind a torn one would be lost with it. Only where it cannot be taken back either is a torn line the
/// last one.
package final class AppendOnlyFile: Sendable {
  private struct State {
    var descriptor: Int32
    /// Why it takes nothing more.
    var failure: Failure?
  }

  /// Where it is.
  package let path: String
  private let header: [UInt8]
  private let state: Mutex<State>
  private let synced = Atomic<Int>(0)

  /// Opens or makes the file.
  ///
  /// - Parameter header: What stands before the first line of a file that is empty.
  /// - Throws: `.cannotWrite`.
  package init(_ path: String, header: [UInt8] = []) throws(Failure) {
    let (descriptor, error) = SystemCall.open(path, O_WRONLY | O_CREAT | O_APPEND, mode: 0o600)
    if error != 0 { throw Failure.cannotWrite(path, errno: error) }
    self.path = path
    self.header = header
    state = Mutex(State(descriptor: descriptor))
  }

  deinit {
    _ = state.withLock { close($0.descriptor) }
  }

  /// Appends bytes, all of them or none.
  ///
  /// - Throws: `.cannotWrite`; what made an earlier call fail, once one has.
  package func append(_ bytes: [UInt8]) throws(Failure) {
    let failure: Failure? = state.withLock { state in
      if state.failure != nil { return state.failure }
      let start = lseek(state.descriptor, 0, SEEK_END)
      let isFirst = start == 0 && !header.isEmpty
      let error = (isFirst ? header + bytes : bytes).withUnsafeBytes {
        SystemCall.write(state.descriptor, $0)
      }
      if error == 0 { return nil }
      state.failure = Failure.cannotWrite(path, errno: error)
      if start >= 0 { SystemCall.truncate(state.descriptor, to: start) }
      return state.failure
    }
    if let failure { throw failure }
  }

  /// Why it takes nothing more, nil while it does.
  package var failure: Failure? { state.withLock { $0.failure } }

  /// Bytes that are known to be on the disk.
  package var syncedLength: Int { synced.load(ordering: .relaxed) }

  /// Bytes in it.
  package var length: Int { state.withLock { Int(lseek($0.descriptor, 0, SEEK_END)) } }

  /// Takes the file for this process until it ends; false where another process has it.
  package func lock() -> Bool {
    state.withLock { flock($0.descriptor, LOCK_EX | LOCK_NB) == 0 }
  }

  /// Waits until everything appended is on the disk.
  ///
  /// - Throws: `.cannotWrite`; nothing more is appended then, for it is not known what is on the disk.
  package func sync() throws(Failure) {
    let (failure, length) = state.withLock { state -> (Failure?, Int) in
      let error = SystemCall.synchronize(state.descriptor)
      if error == 0 { return (nil, Int(lseek(state.descriptor, 0, SEEK_END))) }
      let failure = state.failure ?? Failure.cannotWrite(path, errno: error)
      state.failure = failure
      return (failure, 0)
    }
    if let failure { throw failure }
    synced.store(length, ordering: .relaxed)
  }
}
