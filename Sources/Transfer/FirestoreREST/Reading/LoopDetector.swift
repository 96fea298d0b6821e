/// Detects in constant memory that a paged read returns to an earlier position.
///
/// A repeated page token would return the same page forever. Each position is compared with a remembered one,
/// which is replaced after 1, 2, 4, 8, … steps (Brent's algorithm), so a loop of any length is found within
/// about three rounds.
package struct LoopDetector<Position: Equatable & Sendable>: Sendable {
  private var remembered: Position?
  private var steps = 0
  private var reach = 1

  package init() {}

  /// Records the next position; returns false if the read has been there before.
  package mutating func goes(to position: Position) -> Bool {
    if position == remembered { return false }
    steps += 1
    if remembered == nil || steps == reach {
      remembered = position
      reach *= 2
      steps = 0
    }
    return true
  }
}

/// Calls `page` with the token of each page of a list, starting with nil, until it returns no token for the next page.
///
/// - Parameter circle: The failure if the list leads back to an earlier page.
package func forEachPage(
  orThrow circle: @autoclosure () -> Failure,
  _ page: (_ token: String?) async throws(Failure) -> String?
) async throws(Failure) {
  var token: String?
  var trail = LoopDetector<UTF8Key>()
  repeat {
    token = try await page(token)
    if let token, !trail.goes(to: UTF8Key(token)) { throw circle() }
  } while token != nil
}

extension Failure {
  /// The failure of a paged read that would never end.
  static func endless(_ operation: String, path: String) -> Failure {
    Failure(
      .unavailable,
      operation,
      path: path,
      cause: "the response leads back to an earlier page, so the read would never end",
      remedy: "There may be a caching proxy in between; try again later."
    )
  }
}
