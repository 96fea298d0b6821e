import Synchronization

/// A value that is computed once, on first use, by the task that needs it first.
package final class Once<Value: Sendable>: Sendable {
  private let state = Mutex<Value?>(nil)

  package init() {}

  package func value(_ make: () throws(Failure) -> Value) throws(Failure) -> Value {
    try state.withLock { state throws(Failure) in
      if let state { return state }
      let value = try make()
      state = value
      return value
    }
  }
}
