/// Decides when to look at a running operation again.
///
/// The delays grow by half, from a quarter of a second to half a minute: most operations take minutes, and some hours. The
/// type is pure: time is an argument.
///
///     after look    1     2     4     8     12    13
///     at most (s)   0.25  0.38  0.84  4.3   22    30
struct OperationWatch: Sendable {
  enum Action: Sendable, Equatable {
    /// Look again after the given number of seconds.
    case wait(Double)
    case done
    /// The time is up, and the operation is still running.
    case giveUp
  }

  static let initial = 0.25
  static let maximum = 30.0

  /// The maximum wait in seconds; nil for no limit.
  private let limit: Double?
  private var delay = Self.initial

  init(limit: Double? = nil) { self.limit = limit }

  /// - Parameter elapsed: The number of seconds since the beginning.
  mutating func handle(_ operation: ManagedOperation, elapsed: Double) -> Action {
    if operation.isDone { return .done }
    let left = limit.map { $0 - elapsed } ?? .infinity
    if left <= 0 { return .giveUp }
    defer { delay = min(delay * 1.5, Self.maximum) }
    return .wait(min(delay, left))
  }
}
