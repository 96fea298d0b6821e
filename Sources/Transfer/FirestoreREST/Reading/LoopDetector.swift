import FirestoreModels

/// The places that a paged read came to, kept in constant memory: tells when a service leads it in a circle.
///
/// A page token that comes back would be answered with the same page for ever. Every place is compared with one that
/// is remembered, which is moved on after 1, 2, 4, 8 … steps (Brent's algorithm), so a circle of any length is found
/// within about three of its rounds.
struct LoopDetector<Position: Equatable & Sendable>: Sendable {
  private var remembered: Position?
  private var steps = 0
  private var reach = 1

  /// Notes the place that the read goes to next; false where it was there before.
  mutating func goes(to position: Position) -> Bool {
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

extension Failure {
  /// A service that leads a paged read in a circle.
  static func endless(_ operation: String, path: String) -> Failure {
    Failure(
      .unavailable,
      operation,
      path: path,
      cause: "the answer leads back to a page that was read before, so the read would never end",
      remedy: "A proxy that caches may stand in between; try again later."
    )
  }
}
