import Synchronization

/// A value that any task may change, one at a time: a `Mutex` that can be shared.
package final class Locked<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  /// Guards a value.
  package init(_ value: Value) {
    mutex = Mutex(value)
  }

  /// Reads or changes the value; nobody else does meanwhile.
  package func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { value in body(&value) }
  }
}
