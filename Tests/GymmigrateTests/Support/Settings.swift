import Foundation

/// How wide slow sweeps are.
enum Settings {
  /// Seeds for a sweep: so many, or as many as `GYMMIGRATE_TEST_SEEDS` says.
  static func seeds(_ count: Int) -> [UInt64] {
    let wanted = ProcessInfo.processInfo.environment["GYMMIGRATE_TEST_SEEDS"].flatMap { Int($0) } ?? count
    return (0..<max(1, wanted)).map { 1000 + UInt64($0) }
  }
}
