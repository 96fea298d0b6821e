import Foundation

/// How wide slow sweeps are.
enum Settings {
  /// Seeds for a sweep: so many, or as many as `GYMMIGRATE_TEST_SEEDS` says.
  static func seeds(_ count: Int) -> [UInt64] {
    let wanted = ProcessInfo.processInfo.environment["GYMMIGRATE_TEST_SEEDS"].flatMap { Int($0) } ?? count
    return (0..<max(1, wanted)).map { 1000 + UInt64($0) }
  }

  /// Documents that the round trip of everything is made with: as many as `GYMMIGRATE_ROUND_TRIP_DOCUMENTS` says.
  static var roundTripDocuments: Int {
    ProcessInfo.processInfo.environment["GYMMIGRATE_ROUND_TRIP_DOCUMENTS"].flatMap { Int($0) } ?? 100_000
  }

  /// The seed of random databases: one that `GYMMIGRATE_ROUND_TRIP_SEED` says, or the same in every run.
  static var roundTripSeed: UInt64 {
    ProcessInfo.processInfo.environment["GYMMIGRATE_ROUND_TRIP_SEED"].flatMap { UInt64($0) } ?? 1
  }

  /// Kills of a nightly export: so many, or as many as `GYMMIGRATE_KILLS` says.
  static func kills(_ count: Int) -> Int {
    ProcessInfo.processInfo.environment["GYMMIGRATE_KILLS"].flatMap { Int($0) } ?? count
  }

  /// Documents that are copied and compared: as many as `GYMMIGRATE_COPY_DOCUMENTS` says.
  static var copyDocuments: Int {
    ProcessInfo.processInfo.environment["GYMMIGRATE_COPY_DOCUMENTS"].flatMap { Int($0) } ?? 1500
  }

  /// The same of a copy between servers that fail now and then, fewer where nothing is said.
  static var copyFaultDocuments: Int {
    ProcessInfo.processInfo.environment["GYMMIGRATE_COPY_DOCUMENTS"] == nil ? 350 : copyDocuments
  }
}
