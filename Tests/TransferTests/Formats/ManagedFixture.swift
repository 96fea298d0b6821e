import FirestoreModels
import Foundation

@testable import Files
@testable import Tables

/// A managed export in a folder of its own, which a test may damage.
struct ManagedFixture {
  static let names = ["every-value", "small", "named-database"]
  static let output = "all_namespaces/all_kinds/output-0"
  static let metadata = "all_namespaces/all_kinds/all_namespaces_all_kinds.export_metadata"

  let folder: ScratchFolder
  let name: String

  static func resource(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Resources/managed-exports/\(name)").path
  }

  /// Copies one that Google's emulator wrote.
  init(_ name: String) throws {
    folder = try ScratchFolder()
    self.name = name
    try FileManager.default.copyItem(atPath: Self.resource(name), toPath: folder.file(name))
  }

  /// Makes one of records as they are.
  init(records: [[UInt8]], documents: Int? = nil, files: [String] = ["output-0"]) throws {
    folder = try ScratchFolder()
    name = "made"
    try FileManager.default.createDirectory(
      atPath: folder.file("made/all_namespaces/all_kinds"),
      withIntermediateDirectories: true
    )
    try Self.write(records, to: path(Self.output))
    var metadata = ProtoWriter()
    for file in files { metadata.message(2) { $0.bytes(2, file.utf8) } }
    try Data(metadata.bytes).write(to: URL(fileURLWithPath: path(Self.metadata)))
    var overall = ProtoWriter()
    overall.message(1) {
      $0.bytes(2, Self.metadata.utf8)
      $0.number(3, UInt64(documents ?? records.count))
    }
    try Self.write([[0x33], overall.bytes], to: path("made.overall_export_metadata"))
  }

  var path: String { folder.file(name) }

  func path(_ file: String) -> String { "\(path)/\(file)" }

  /// The names of its files, with the overall one first.
  var files: [String] { ["\(name).overall_export_metadata", Self.metadata, Self.output] }

  static func write(_ records: [[UInt8]], to path: String) throws {
    var log = try LogWriter(path, via: .local)
    for record in records { try log.append(record) }
    _ = try log.finish()
  }

  /// The records of a log.
  static func records(of path: String) throws -> [[UInt8]] {
    var log = try LogReader(path)
    var records: [[UInt8]] = []
    while try log.advance() { records.append(log.withRecord { Array($0) }) }
    return records
  }

  /// The documents of an export, each of which can be read.
  static func documents(of path: String, via files: FileAccess = .local) throws -> [RawDocument] {
    guard let export = try ManagedExport(at: path, via: files) else { return [] }
    let reader = ManagedReader(export, via: files)
    var documents: [RawDocument] = []
    while let next = try reader.next() { documents.append(try next.document.get()) }
    return documents
  }

  /// The documents of JSON Lines, in the order of their names.
  static func lines(of path: String) throws -> [RawDocument] {
    var reader = try JSONLinesReader(path)
    var documents: [RawDocument] = []
    while let line = try reader.next() { documents.append(try line.document.get()) }
    return documents.sorted { $0.path < $1.path }
  }
}
