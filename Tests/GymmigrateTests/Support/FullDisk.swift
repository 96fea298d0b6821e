import Foundation
import TestSupport
import Testing

/// A disk that is full for one file of a program: `scripts/shims/full-disk.c`, compiled once and loaded into it.
struct FullDisk: Sendable {
  /// How the file fails.
  enum Manner: String, CaseIterable, Sendable {
    /// Writes fail, the first one in part.
    case write
    /// Writes succeed, and bringing them to the disk fails.
    case sync
    /// As `write`, and the file cannot be cut back.
    case stuck
  }

  /// Part of the file's name.
  var file: String
  /// Bytes that it takes.
  var bytes: Int
  /// Calls that fail until there is room again; -1: there never is.
  var times = -1
  var manner = Manner.write

  /// The variables of a program that meets it.
  func variables(trace: String) async throws -> [String: String] {
    [
      "LD_PRELOAD": try await Shim.fullDisk.path(), "DISK_FULL_NAME": file, "DISK_FULL_BYTES": "\(bytes)",
      "DISK_FULL_TIMES": "\(times)", "DISK_FULL_HOW": manner.rawValue, "DISK_FULL_TRACE": trace,
    ]
  }
}

extension Tool {
  /// Runs a command line while the disk is full for a file.
  ///
  /// - Returns: How it ended, and whether a call failed.
  func run(_ arguments: [String], on disk: FullDisk) async throws -> (RunResult, isHit: Bool) {
    let trace = path("trace")
    try? FileManager.default.removeItem(atPath: trace)
    let result = try await runner.run(
      arguments,
      environment: environment.merging(try await disk.variables(trace: trace)) { $1 },
      directory: folder
    )
    let lines = (try? text("trace")) ?? ""
    return (result, !lines.isEmpty)
  }
}
