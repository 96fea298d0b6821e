import Synchronization

/// How many bytes the bodies of all requests together may hold at a moment.
///
/// Every connection has a thread of its own, so that without it many clients with a large body each would take all
/// memory.
final class BodyBudget: Sendable {
  private let rest: Mutex<Int>

  /// Makes a budget of so many bytes.
  init(_ bytes: Int) {
    rest = Mutex(bytes)
  }

  /// Takes bytes; false where there are not so many left.
  func take(_ count: Int) -> Bool {
    rest.withLock { rest in
      if count > rest { return false }
      rest -= count
      return true
    }
  }

  /// Gives bytes back that were taken.
  func giveBack(_ count: Int) {
    rest.withLock { $0 += count }
  }
}
