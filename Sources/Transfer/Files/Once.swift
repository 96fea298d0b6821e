package import FirestoreModels
import Synchronization

/// A value that is computed once, on first use, by whichever task needs it.
package final class Once<Value: Sendable>: Sendable {
  private let state = Mutex<Value?>(nil)

  package init() {}

  package func value(_ make: () throws(Failure) -> Value) throws(Failure) -> Value {
    let result: Result<Value, Failure> = state.withLock { state in
      if let state { return .success(state) }
      do throws(Failure) {
        let value = try make()
        state = value
        return .success(value)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
