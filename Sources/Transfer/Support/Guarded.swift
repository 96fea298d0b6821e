import Synchronization

/// A value that any task may change, one at a time: a `Mutex` that can be shared.
public final class Guarded<Value: Sendable>: Sendable {
  private let mutex: Mutex<Value>

  /// Guards a value.
  public init(_ value: Value) {
    mutex = Mutex(value)
  }

  /// Reads or changes the value; nobody else does meanwhile.
  public func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    mutex.withLock { value in body(&value) }
  }
}
