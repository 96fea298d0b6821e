import Synchronization

/// A value behind a `Mutex` that several tasks can share.
///
///     let count = Locked(0)
///     count.withLock { $0 += 1 }
package final class Locked<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  package init(_ value: Value) { mutex = Mutex(value) }

  /// Calls `body` with exclusive access to the value.
  package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { value in body(&value) }
  }
}
