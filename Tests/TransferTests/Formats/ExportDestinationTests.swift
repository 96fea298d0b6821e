import Foundation
import TestSupport
import Testing

@testable import Tables
@testable import Transfer

@Suite struct ExportDestinationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var output: String
    var format: ExportFormat
    var collections: Int
    var destination: ExportDestination
    var testDescription: String { "\(output), \(collections)" }
  }

  static let csv = ExportFormat.csv(CSVOptions())

  @Test(arguments: [
    Case(output: "-", format: csv, collections: 1, destination: .standardOutput),
    Case(output: "a.csv", format: csv, collections: 1, destination: .file("a.csv")),
    Case(output: "a", format: csv, collections: 1, destination: .file("a")),
    Case(output: "a", format: csv, collections: 2, destination: .folder("a")),
    Case(output: "a//", format: csv, collections: 1, destination: .folder("a")),
    Case(output: "/", format: csv, collections: 1, destination: .folder("/")),
    Case(output: "a", format: .jsonLines(), collections: 2, destination: .folder("a")),
    Case(output: "a", format: .jsonLines(), collections: 1, destination: .file("a")),
    Case(output: "a.jsonl", format: .jsonLines(), collections: 2, destination: .file("a.jsonl")),
    Case(output: "a.jsonl.gz", format: .jsonLines(), collections: 2, destination: .file("a.jsonl.gz")),
  ])
  func means(_ example: Case) {
    let found = ExportDestination(
      output: example.output,
      format: example.format,
      collections: example.collections
    )
    #expect(found == example.destination)
  }

  @Test func aFolderThatIsThereIsOne() async throws {
    try await withTemporaryDirectory { folder in
      let found = ExportDestination(output: folder.path, format: Self.csv, collections: 1)
      #expect(found == .folder(folder.path))
    }
  }
}
