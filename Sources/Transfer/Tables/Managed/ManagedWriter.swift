package import Files
package import FirestoreModels
import Platform

/// Writes documents as a managed export: one file of documents and, last, the metadata that mark it as complete.
package final class ManagedWriter: CollectionWriter {
  package private(set) var documentCount = 0
  package private(set) var receipt: OutputFile.Receipt?

  private let folder: String
  private let files: FileAccess
  private let encoder: EntityEncoder
  private let name: String
  private let start = ManagedWriter.microseconds
  private var log: LogWriter?

  private static let kinds = "all_namespaces/all_kinds"

  /// Starts the export and creates its folders.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`, also if the folder contains an export.
  package init(_ folder: String, of database: DatabaseName, via files: FileAccess = .local) throws(Failure) {
    (self.folder, self.files) = (folder, files)
    encoder = EntityEncoder(database: database)
    name = FilePaths.name(of: FilePaths.resolved(folder))
    try Self.assertNoExport(in: folder, via: files)
    if !FileAccess.isRemote(folder) {
      for part in ["", "/all_namespaces", "/\(Self.kinds)"] { try FilePaths.ensureFolder(folder + part) }
    }
    log = try LogWriter("\(folder)/\(Self.kinds)/output-0", via: files)
  }

  /// Checks that a folder contains no export, which a second one would damage.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package static func assertNoExport(in folder: String, via files: FileAccess) throws(Failure) {
    if try files.names(in: folder).contains(where: ManagedExport.isOverallFile) {
      throw .cannotWrite(folder, "it holds an export", remedy: "Name another folder, or remove it.")
    }
  }

  package func append(_ page: DocumentPage) throws(Failure) {
    for document in try page.documents() { try log?.append(try record(of: document)) }
    documentCount += page.count
  }

  private func record(of document: RawDocument) throws(Failure) -> [UInt8] {
    do throws(WireError) {
      return try encoder.bytes(of: document)
    } catch {
      throw Failure(.inputMalformed, "export", path: document.path.string, cause: "\(error)")
    }
  }

  /// Completes the file of documents, and writes the overall file last.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func finish() throws(Failure) {
    guard let written = try log.take()?.finish() else { return }
    receipt = OutputFile.Receipt(path: folder, bytes: written.bytes)
    var metadata = ProtoWriter()
    metadata.message(1) {
      $0.bytes(1, name.utf8)
      $0.number(2, start)
      $0.number(3, Self.microseconds)
    }
    metadata.message(2) {
      $0.bytes(1, [])
      $0.bytes(2, "output-0".utf8)
    }
    let path = "\(Self.kinds)/all_namespaces_all_kinds.export_metadata"
    try OutputFile.write(metadata.bytes, to: "\(folder)/\(path)", via: files)
    var overall = ProtoWriter()
    overall.message(1) {
      $0.message(1) {
        $0.number(1, 2)
        $0.number(3, 3)
      }
      $0.bytes(2, path.utf8)
      $0.number(3, UInt64(documentCount))
      $0.number(4, UInt64(written.bytes))
    }
    var log = try LogWriter("\(folder)/\(name)\(ManagedExport.ending)", via: files)
    try log.append([0x33])
    try log.append(overall.bytes)
    _ = try log.finish()
  }

  /// The local clock's time since 1970.
  private static var microseconds: UInt64 { UInt64(clamping: time(nil)) * 1_000_000 }
}
