import Synchronization

/// Limits the memory for the request bodies of all connections.
///
/// Every connection has its own thread; without the limit, many clients with large bodies could exhaust
/// memory.
final class BodyBudget: Sendable {
  private let available: Mutex<Int>

  init(_ bytes: Int) {
    available = Mutex(bytes)
  }

  /// Reserves bytes; false if fewer are available.
  func reserve(_ count: Int) -> Bool {
    available.withLock { available in
      if count > available { return false }
      available -= count
      return true
    }
  }

  func release(_ count: Int) {
    available.withLock { $0 += count }
  }
}
