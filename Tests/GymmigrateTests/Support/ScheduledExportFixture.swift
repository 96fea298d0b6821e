import Foundation
import Testing

/// What tests of dated exports have in common.
enum ScheduledExportFixture {
  /// The collections that are exported.
  static let few = ["app_config", "exercises", "products", "user_emails", "users"]
  static let command = ["export", "--all", "-o", "nightly", "--dated"]
}

extension Tool {
  /// The dated folders, oldest first.
  var exports: [String] { exports("nightly") }

  /// The dated folders in a folder, oldest first.
  func exports(_ folder: String) -> [String] {
    names(in: folder).filter { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d{6}Z/) != nil }
  }

  /// One of them, counted from the oldest; a test ends where there are not so many.
  func scheduledExport(_ index: Int) throws -> String { try #require(exports.dropFirst(index).first) }

  /// What stands in the folder and is neither an export nor what has to be there.
  var strangers: [String] {
    let own: Set = [".gymmigrate.lock", ".high-water-mark.json", "latest"]
    return names(in: "nightly").filter { !own.contains($0) && !exports.contains($0) }
  }

  /// The export that `latest` leads to.
  func latestNight() throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: path("nightly/latest"))
  }

  /// Expects that the export that `latest` leads to is there, whole, and that of the samples.
  func expectWhole(_ name: String, _ location: SourceLocation = #_sourceLocation) async throws {
    #expect(try latestNight() == name, sourceLocation: location)
    try await expectIntact(name, location)
  }

  /// Expects that an export is whole, and that of the samples.
  func expectIntact(_ name: String, _ location: SourceLocation = #_sourceLocation) async throws {
    let verified = try await bare(["export", "verify", "nightly/\(name)"])
    verified.expect(0, location)
    for collection in ScheduledExportFixture.few {
      #expect(
        try text("nightly/\(name)/\(collection).jsonl") == Samples.text(collection),
        sourceLocation: location
      )
    }
  }
}
