package import Configuration
import Schema
package import Tables
package import TypedDocuments

/// The manifest of an export folder, `manifest.json`: database, read time and files.
package struct Manifest: JSONRecord, Equatable {
  /// One file of the folder.
  package struct File: Codable, Sendable, Equatable {
    /// The name within the folder.
    package var file: String
    /// The collection of its documents; `*` for the list of deleted documents of all collections.
    package var collection: String
    /// The number of documents.
    package var documents: Int
    /// The size on disk, in bytes.
    package var bytes: Int
    /// The SHA-256 in lower-case hexadecimal.
    package var sha256: String
    /// The time at which an increment begins; nil for the entire collection.
    package var since: Timestamp?

    package init(
      file: String,
      collection: String,
      documents: Int,
      bytes: Int,
      sha256: String,
      since: Timestamp? = nil
    ) {
      self.file = file
      self.collection = collection
      self.documents = documents
      self.bytes = bytes
      self.sha256 = sha256
      self.since = since
    }

    /// Whether a file has other bytes than the export wrote; reads all of them.
    ///
    /// - Throws: ``Failure`` of kind `inputMissing`; for a remote address also the errors of its reader.
    func isAltered(at path: String, via files: FileAccess) throws(Failure) -> Bool {
      try !SHA256Digest.hexadecimal(ofFileAt: path, decompresses: false, via: files).isIdentical(to: sha256)
    }
  }

  /// The scope of an export, which determines whether two exports belong to the same series.
  package struct Scope: Codable, Sendable, Equatable {
    /// The collections and patterns as named on the command line; nil for all root collections.
    package var collections: [String]?
    /// Whether subcollections are included.
    package var subcollections: Bool
    /// The filters as typed.
    package var filters: [String] = []
    /// The time zone of the days in the filters; nil if there are none, and in old manifests.
    package var timeZone: String?
    /// The maximum number of documents per collection; nil for no limit.
    package var limit: Int?
    /// The order as typed, which leaves out documents that lack its fields; nil for the order of names.
    package var orderBy: String?
    /// The fields; nil for all.
    package var fields: [String]?
    /// Whether the collections are collection groups.
    package var isGroup = false
    /// Whether documents are written differently from how they are stored, so that the export is not a backup.
    package var isView = false
    /// Whether documents may be missing that the rest of the scope includes, because those that were read were not all.
    package var isPartial = false
    /// Whether the documents of a partial export have all their fields, or all of ``fields``; not recorded of any other.
    package var hasWholeDocuments = false
    /// Whether the documents are masked, so that they are none of the database.
    package var isMasked = false
  }

  /// The file name.
  package static let fileName = "manifest.json"

  /// The version of gymmigrate that made the export.
  package var toolVersion: String
  /// The name of the environment.
  package var environment: String
  /// The database of the documents.
  @Text package var database: DatabaseName
  /// The server, as ``DatabaseEnvironment/server``; nil in manifests of versions that did not record it.
  package var server: String?
  /// The read time; nil if none was pinned.
  @ExplicitNull package var readTime: Timestamp?
  /// The zone of times that the files contain without a zone; nil if there are none.
  package var timeZone: String?
  /// The name of the schema that determines the types of the values in tables and plain JSON; nil if there are none, and in
  /// old manifests.
  package var schema: String?
  /// The token for null in tables, unless it is `null`; nil in old manifests, as are the three below.
  package var nullText: String?
  /// The language of the headings of tables, if they are labels.
  package var headerLanguage: String?
  /// The delimiter of CSV, unless it is a comma.
  package var delimiter: String?
  /// Whether the numbers of tables have a decimal comma.
  package var usesDecimalComma: Bool?
  /// The scope; nil in old manifests.
  package var scope: Scope?
  /// The read time of the export that was the latest of the series when this increment was made; nil for other exports, and
  /// in old manifests.
  package var after: Timestamp?
  /// The kind of the files, also if there are none; nil for a managed export, and in old manifests.
  package var kind: FileName.Kind?
  /// The files.
  package var files: [File]
  /// The list of the documents that were deleted since the earlier exports; nil if the export did not look for them.
  package var deleted: File?

  package init(
    toolVersion: String,
    environment: String,
    database: DatabaseName,
    server: String? = nil,
    readTime: Timestamp?,
    writing: TableWriting = TableWriting(),
    scope: Scope? = nil,
    after: Timestamp? = nil,
    kind: FileName.Kind? = nil,
    files: [File],
    deleted: File? = nil
  ) {
    self.toolVersion = toolVersion
    self.environment = environment
    self.database = database
    self.server = server
    self.readTime = readTime
    timeZone = writing.timeZone
    schema = writing.schema
    nullText = writing.nullText
    headerLanguage = writing.headerLanguage
    delimiter = writing.delimiter?.rawValue
    usesDecimalComma = writing.usesDecimalComma
    self.scope = scope
    self.after = after
    self.kind = kind
    self.files = files
    self.deleted = deleted
  }

  /// Whether it is an increment: some files hold only documents updated since a time, or it lists deletions.
  package var isIncrement: Bool { deleted != nil || files.contains { $0.since != nil } }

  /// How the cells of its tables were written.
  var writing: TableWriting {
    var writing = TableWriting()
    writing.timeZone = timeZone
    writing.schema = schema
    writing.nullText = nullText
    writing.headerLanguage = headerLanguage
    writing.delimiter = delimiter.flatMap { CSVDelimiter(rawValue: $0) }
    writing.usesDecimalComma = usesDecimalComma
    return writing
  }

  /// The files, and the list of deleted documents.
  var allFiles: [File] { files + (deleted.map { [$0] } ?? []) }

  /// Returns the entry of a file; nil if there is none.
  func file(named name: String) -> File? { files.first { $0.file.isIdentical(to: name) } }

  /// Whether the documents are those of an environment.
  package func isOf(_ environment: DatabaseEnvironment) -> Bool {
    database == environment.database && server.map { environment.isServed(by: $0) } ?? true
  }

  /// Whether the documents are of the same database on the same server.
  func isOfSameDatabase(as other: Manifest) -> Bool { database == other.database && server == other.server }

  // MARK: Writing

  /// Writes the manifest into a folder, after all other files, so that a folder with a manifest is complete.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func write(to folder: String, via files: FileAccess = .local) throws(Failure) {
    // If there are no documents, no file has created the folder.
    if !FileAccess.isRemote(folder) { try FilePaths.ensureFolder(folder) }
    try OutputFile.write(line, to: "\(folder)/\(Self.fileName)", via: files)
  }

  // MARK: Reading

  /// Reads the manifest of a folder; nil if it has none.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` if it is not a manifest, `inputMissing` if it cannot be read.
  package static func read(
    from folder: String,
    via files: FileAccess = .local
  ) throws(Failure) -> Manifest? {
    let path = folder.utf8.last == UInt8(ascii: "/") ? "\(folder)\(fileName)" : "\(folder)/\(fileName)"
    return try JSONFile.read(path, via: files, as: Manifest.self)
  }

  /// Checks the file names, because none may lead out of the folder, and no file is read twice.
  package func validate() throws(WireError) {
    var names: Set<UTF8Key> = []
    for (index, file) in allFiles.map(\.file).enumerated() {
      let isName =
        !file.isEmpty && !file.isIdentical(to: ".") && !file.isIdentical(to: "..")
        && !file.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
      if isName, names.insert(UTF8Key(file)).inserted { continue }
      throw WireError(
        isName ? "'\(file)' is there twice" : "'\(file)' is not the name of a file in the folder",
        at: index < files.count ? ["files", "[\(index)]", "file"] : ["deleted", "file"]
      )
    }
  }
}
