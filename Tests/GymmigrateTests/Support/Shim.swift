import Foundation
import TestSupport
import Testing

/// A library of `scripts/shims`, compiled once by each process and loaded into the program (`LD_PRELOAD`).
actor Shim {
  static let fullDisk = Shim("full-disk")
  static let suspension = Shim("suspension")

  /// Whether there is a compiler; without one, or with a sanitizer that wants to be the first library, nothing is loaded.
  static let isPossible = !Sanitizer.isOn && compiler != nil

  private static let compiler = ["cc", "clang", "gcc"].lazy.compactMap { name in
    (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":").map {
      "\($0)/\(name)"
    }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
  }.first

  /// Beside the tests' other temporary files; removed at the end of the process, because nobody else does.
  private static let folder: URL = {
    atexit { try? FileManager.default.removeItem(at: Shim.path) }
    return path
  }()
  private static var path: URL {
    FileManager.default.temporaryDirectory.appendingPathComponent(
      "gymmigrate-shim-\(ProcessInfo.processInfo.processIdentifier)"
    )
  }

  private let name: String
  private var made: Task<String, any Error>?

  private init(_ name: String) { self.name = name }

  /// The path of the library.
  func path() async throws -> String {
    let task = made ?? Task { try await Self.compile(name) }
    made = task
    return try await task.value
  }

  private static func compile(_ name: String) async throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let library = folder.appendingPathComponent("\(name).so").path
    let source = Samples.repository.appendingPathComponent("scripts/shims/\(name).c").path
    let compiled = try await BinaryRunner(executable: compiler).run([
      "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lpthread",
    ])
    try #require(compiled.exitCode == 0, "\(compiled.errors)")
    return library
  }
}
