import Platform
package import Tables

/// The destination of an export.
package enum ExportDestination: Sendable, Equatable {
  case standardOutput
  /// One file: one collection as CSV or plain JSON, any number of them as a workbook or as JSON Lines.
  case file(String)
  /// One file per collection, in a folder that is created if missing.
  case folder(String)

  /// Resolves the value of `-o` for a number of collections.
  ///
  /// A managed export is a folder.
  ///
  /// `-` is standard output. These are folders: an existing folder; a name with a trailing slash; any name for several
  /// collections as CSV; and any name for several collections as JSON Lines that does not end like a file of them. Anything
  /// else is a file. In a bucket, a name that ends in `/` is a folder.
  package init(output: String, format: ExportFormat, collections: Int) {
    if output == "-" {
      self = .standardOutput
      return
    }
    let exists = SystemCall.status(output).status?.isFolder ?? false
    var sharesNothing = false
    switch format {
    case .csv, .plainJSON, .bigQuery: sharesNothing = collections > 1
    case .jsonLines:
      let name = FileName(output)
      sharesNothing = collections > 1 && name.kind != .jsonl && !name.isCompressed
    case .managed: sharesNothing = true
    case .xlsx: break
    }
    if exists || output.hasSuffix("/") || sharesNothing {
      self = .folder(FilePaths.bare(output))
    } else {
      self = .file(output)
    }
  }
}

/// A completed file of an export.
package struct FileReport: Sendable, Equatable {
  /// The path; `-` for standard output.
  package var path: String
  /// The collection of its documents; nil for a file that holds several collections.
  package var collection: CollectionPath?
  package var documents: Int
  /// The size on disk, in bytes.
  package var bytes: Int
  /// The SHA-256, if requested.
  package var sha256: String?
  /// The columns of a CSV file, as field paths.
  package var columns: [String]?

  /// The entry in the manifest; nil without a single collection or a checksum.
  package var manifestEntry: Manifest.File? {
    guard let collection, let sha256 else { return nil }
    return Manifest.File(
      file: FilePaths.name(of: path),
      collection: collection.string,
      documents: documents,
      bytes: bytes,
      sha256: sha256
    )
  }
}

/// The output of an export, with a writer per collection, whatever the format and the number of files.
///
/// Not `Sendable`: one task creates the writers, appends to them, finishes each of them and then this object. If it is
/// dropped earlier, no unfinished file remains.
package final class ExportOutput {
  private let destination: ExportDestination
  private let format: ExportFormat
  private let files: FileAccess

  private var workbook: XLSXWriter?
  private var summary: SummaryWriter?
  /// The writer of the file that holds the documents of all collections, if there is one.
  private var shared: (any CollectionWriter)?
  private var writers: [(path: String, collection: CollectionPath, writer: any CollectionWriter)] = []

  /// Checks that the output can be written, without creating anything.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package init(
    _ destination: ExportDestination,
    _ format: ExportFormat,
    via files: FileAccess = .local
  ) throws(Failure) {
    self.destination = destination
    self.format = format
    self.files = files
    switch destination {
    case .standardOutput: break
    case .file(let path): try files.checkWritable(path)
    case .folder(let path) where FileAccess.isRemote(path):
      try files.checkWritable("\(path)/\(Manifest.fileName)")
    case .folder(let path):
      try Self.checkFolder(path)
      // Whoever reads such a folder reads the managed export, and nothing else in it.
      try ManagedWriter.assertNoExport(in: path, via: files)
    }
    if case .managed = format, let sharedPath { try ManagedWriter.assertNoExport(in: sharedPath, via: files) }
  }

  /// Creates a writer for the next collection.
  ///
  /// - Parameters:
  ///   - collection: The collection; its documents lie in it or below it.
  ///   - fields: The columns of a table; nil for those of the schema and any further fields. JSON Lines always hold entire
  ///     documents.
  /// - Throws: ``Failure`` of kind `cannotWrite`, also for a file that the command reads, or `usage` for a second
  ///   collection in one CSV file.
  package func writer(
    for collection: CollectionPath,
    fields: [FieldPath]? = nil
  ) throws(Failure) -> any CollectionWriter {
    let path = if let sharedPath { sharedPath } else { try ownPath(of: collection) }
    let writer: any CollectionWriter
    switch format {
    case .csv(let options):
      try assertAlone(collection, path)
      writer = try CSVWriter(
        path,
        collection: collection,
        fields: fields,
        options: options,
        digest: sharedPath == nil,
        via: files
      )
    case .plainJSON(let isArray):
      try assertAlone(collection, path)
      writer = try PlainJSONWriter(
        path,
        collection: collection,
        isArray: isArray,
        digest: sharedPath == nil,
        via: files
      )
    case .bigQuery(let schema):
      try assertAlone(collection, path)
      writer = try BigQueryWriter(
        path,
        collection: collection,
        schema: schema,
        digest: sharedPath == nil,
        via: files
      )
    case .jsonLines where sharedPath == nil:
      writer = try JSONLinesWriter(path, digest: true, via: files)
    case .jsonLines:
      writer = try share { () throws(Failure) in try JSONLinesWriter(path, via: files) }
    case .managed(let database):
      writer = try share { () throws(Failure) in try ManagedWriter(path, of: database, via: files) }
    case .xlsx(let options) where sharedPath == nil:
      let workbook = try XLSXWriter(path, options: options, digest: true, via: files)
      writer = try workbook.sheet(for: collection, fields: fields, isOnly: true)
    case .xlsx(let options):
      writer = try workbook(path, options).sheet(for: collection, fields: fields)
    }
    writers.append((path, collection, writer))
    return writer
  }

  private func assertAlone(_ collection: CollectionPath, _ path: String) throws(Failure) {
    if sharedPath == nil || writers.isEmpty { return }
    throw Failure(
      .usage,
      "write \(collection) to",
      path: path,
      cause: "a file of CSV, of plain JSON or for BigQuery holds one collection",
      remedy: "Name a folder, or use the format xlsx or jsonl."
    )
  }

  private func share(
    _ make: () throws(Failure) -> any CollectionWriter
  ) throws(Failure) -> any CollectionWriter {
    let file = if let shared { shared } else { try make() }
    shared = file
    return SharedFile(file)
  }

  /// The file, or the managed export, that all collections share; nil if each has its own.
  private var sharedPath: String? {
    switch destination {
    case .standardOutput: "-"
    case .file(let file): file
    case .folder(let folder): if case .managed = format { folder } else { nil }
    }
  }

  private func ownPath(of collection: CollectionPath) throws(Failure) -> String {
    guard case .folder(let folder) = destination else { return "-" }
    if !FileAccess.isRemote(folder) { try FilePaths.ensureFolder(folder) }
    let path = "\(folder)/\(try Self.fileName(of: collection, format.fileExtension))"
    try KeptFiles.assertUnread(path)
    return path
  }

  /// Announces the collections that follow, so that the sheets of a shared workbook can link to each other.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func announce(_ collections: [CollectionPath]) throws(Failure) {
    guard case .xlsx(let options) = format, options.links, let sharedPath else { return }
    try workbook(sharedPath, options).announce(collections)
  }

  /// Reserves the next place in the workbook for a sheet that is written at the end.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`, or `usage` unless all collections share one workbook.
  package func beginSummary(named name: String) throws(Failure) {
    guard case .xlsx(let options) = format, let sharedPath else {
      throw Failure(.usage, "write a summary", cause: "only one workbook has a place for it")
    }
    summary = try workbook(sharedPath, options).summary(named: name)
  }

  /// Writes the sheet whose place was reserved.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func write(_ sheet: SummarySheet) throws(Failure) { try summary?.write(sheet) }

  /// The workbook that all collections share.
  private func workbook(_ path: String, _ options: XLSXOptions) throws(Failure) -> XLSXWriter {
    if let workbook { return workbook }
    let made = try XLSXWriter(path, options: options, via: files)
    workbook = made
    return made
  }

  /// Completes shared files and returns a report of every file.
  ///
  /// All writers must have been finished.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func finish() throws(Failure) -> [FileReport] {
    try fillIfEmpty()
    try shared?.finish()
    try workbook?.finish()
    if let receipt = shared?.receipt ?? workbook?.receipt {
      return [
        FileReport(
          path: receipt.path,
          collection: writers.count == 1 ? writers.first?.collection : nil,
          documents: writers.reduce(0) { $0 + $1.writer.documentCount },
          bytes: receipt.bytes,
          sha256: receipt.sha256
        )
      ]
    }
    return writers.compactMap { entry in
      entry.writer.receipt.map {
        FileReport(
          path: entry.path,
          collection: entry.collection,
          documents: entry.writer.documentCount,
          bytes: $0.bytes,
          sha256: $0.sha256,
          columns: entry.writer.columnPaths
        )
      }
    }
  }

  /// Creates the single file of an export without collections; otherwise the file of an earlier export would stay.
  ///
  /// - Throws: `.inputMissing` for a workbook, which needs a sheet; `.cannotWrite`.
  private func fillIfEmpty() throws(Failure) {
    guard writers.isEmpty, summary == nil, let path = sharedPath else { return }
    switch format {
    case .jsonLines: shared = try JSONLinesWriter(path, via: files)
    case .managed(let database): shared = try ManagedWriter(path, of: database, via: files)
    case .csv, .xlsx, .plainJSON, .bigQuery:
      throw Failure(
        .inputMissing,
        "export to",
        path: path,
        cause: "there are no collections, and such a file holds at least one",
        remedy: "Look at --database and the environment, or export to .jsonl."
      )
    }
  }

  // MARK: Folders and names

  /// Checks that files can be written into a folder, or that the folder can be created.
  ///
  /// Nothing is created.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package static func checkFolder(_ path: String) throws(Failure) {
    let (status, code) = SystemCall.status(path)
    if let status {
      if !status.isFolder { throw Failure.cannotWrite(path, "it is a file", remedy: "Name a folder.") }
      if access(path, W_OK | X_OK) != 0 { throw Failure.cannotWrite(path, errno: errno) }
    } else if code == ENOENT {
      try OutputFile.checkWritable(FilePaths.bare(path))
    } else {
      throw Failure.cannotWrite(path, errno: code)
    }
  }

  /// Returns the name of a collection's file.
  ///
  /// It is the collection path, with `%` and two hexadecimal digits for every byte that is not a letter, digit, `_`, `-` or
  /// inner `.`, and with `~` for the documents between two collections of a pattern (`groups~members.csv`). Names are
  /// unique if the file system is case-sensitive. A name that would exceed the limit of 255 bytes is truncated, and ends in
  /// `%~` and the beginning of the path's SHA-256.
  ///
  /// - Throws: ``Failure`` of kind `internal` if SHA-256 is not available.
  static func fileName(of collection: CollectionPath, _ fileExtension: String) throws(Failure) -> String {
    let path = Array(collection.string.utf8)
    var name: [UInt8] = []
    var truncatedCount = 0
    var index = 0
    while index < path.count {
      let byte = path[index]
      // Compares bytes, because a slash before a combining mark is not a `Character` by itself.
      if path[index...].starts(with: "/*/".utf8) {
        name.append(UInt8(ascii: "~"))
        index += 2
      } else if byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        || (byte == UInt8(ascii: ".") && !name.isEmpty)
      {
        name.append(byte)
      } else {
        name += [UInt8(ascii: "%")] + Hexadecimal.digits(of: [byte], areUpper: true)
      }
      if name.count <= 180 { truncatedCount = name.count }
      index += 1
    }
    if name.count > 220 {
      let digest = try SHA256Digest.checksum(of: path)
      name = Array(name.prefix(truncatedCount)) + Array("%~".utf8) + Array(digest.utf8.prefix(32))
    }
    let file = "\(String(decoding: name, as: UTF8.self)).\(fileExtension)"
    // The manifest has that name in the same folder.
    return file.isIdentical(to: Manifest.fileName) ? "%6D\(file.dropFirst())" : file
  }
}

/// A collection's writer of a file that several collections share.
private final class SharedFile: CollectionWriter {
  private(set) var documentCount = 0
  private let file: any CollectionWriter

  init(_ file: any CollectionWriter) {
    self.file = file
  }

  func append(_ page: DocumentPage) throws(Failure) {
    try file.append(page)
    documentCount += page.count
  }

  func finish() {}
}
