import Files
package import FirestoreModels

/// What an exported folder says about itself in its `manifest.json`: where its documents are from, as of when, and
/// what each file holds.
package struct Manifest: Sendable, Equatable {
  /// One file of the folder.
  package struct File: Sendable, Equatable {
    /// Its name within the folder.
    package var file: String
    /// The collection whose documents it holds.
    package var collection: String
    /// How many.
    package var documents: Int
    /// Its size on disk.
    package var bytes: Int
    /// Its SHA-256 in lower-case hexadecimal.
    package var sha256: String
    /// The moment of an increment: only documents that were updated since; nil for the whole collection.
    package var since: Timestamp?

    /// Makes an entry.
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
  }

  /// What an export was asked for: whether it is a whole backup, and of what.
  package struct Scope: Sendable, Equatable {
    /// The collections that were named, patterns among them; nil where all root collections were meant.
    package var collections: [String]?
    /// Whether what is below the documents is in it.
    package var subcollections: Bool
    /// The filters that documents had to satisfy, as they were typed.
    package var filters: [String]
    /// Documents of each collection at most; nil for no limit.
    package var limit: Int?
    /// The order that was asked for, as it was typed: documents without its fields are left out; nil for that of names.
    package var orderBy: String?
    /// The fields that were read; nil for all.
    package var fields: [String]?
    /// Whether every collection with one of the ids was meant.
    package var isGroup: Bool

    /// Makes a scope.
    package init(
      collections: [String]?,
      subcollections: Bool,
      filters: [String] = [],
      limit: Int? = nil,
      orderBy: String? = nil,
      fields: [String]? = nil,
      isGroup: Bool = false
    ) {
      self.collections = collections
      self.subcollections = subcollections
      self.filters = filters
      self.limit = limit
      self.orderBy = orderBy
      self.fields = fields
      self.isGroup = isGroup
    }
  }

  /// The file's name.
  package static let fileName = "manifest.json"

  /// The version of gymmigrate that wrote the folder.
  package var toolVersion: String
  /// The environment's name in the configuration of then.
  package var environment: String
  /// The database that the documents are from.
  package var database: DatabaseName
  /// The moment as of which they were read; nil where they were read as they were.
  package var readTime: Timestamp?
  /// What was asked for; nil in manifests that do not say.
  package var scope: Scope?
  /// The files.
  package var files: [File]

  /// Makes a manifest.
  package init(
    toolVersion: String,
    environment: String,
    database: DatabaseName,
    readTime: Timestamp?,
    scope: Scope? = nil,
    files: [File]
  ) {
    self.toolVersion = toolVersion
    self.environment = environment
    self.database = database
    self.readTime = readTime
    self.scope = scope
    self.files = files
  }

  /// Whether some of the files hold only what was updated since a moment.
  package var isIncrement: Bool { files.contains { $0.since != nil } }

  // MARK: Writing

  /// The manifest as JSON, a file a line.
  package var json: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("toolVersion")
      json.string(toolVersion)
      json.key("environment")
      json.string(environment)
      json.key("database")
      json.string(database.description)
      json.key("readTime")
      if let readTime { json.timestamp(readTime) } else { json.null() }
      if let scope {
        json.key("scope")
        json.object { scope.writeMembers(to: &$0) }
      }
      json.key("files")
      json.array { list in
        for file in files {
          list.object { json in
            json.key("file")
            json.string(file.file)
            json.key("collection")
            json.string(file.collection)
            json.key("documents")
            json.integer(file.documents)
            json.key("bytes")
            json.integer(file.bytes)
            json.key("sha256")
            json.string(file.sha256)
            if let since = file.since {
              json.key("since")
              json.timestamp(since)
            }
          }
        }
      }
    }
    return json.bytes + [UInt8(ascii: "\n")]
  }

  /// Writes the manifest into a folder; the last file of an export, so that a folder with one is a whole one.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func write(to folder: String) throws(Failure) {
    var file = try OutputFile("\(folder)/\(Self.fileName)")
    try file.write(json)
    _ = try file.finish()
  }

  // MARK: Reading

  /// Reads the manifest of a folder; nil where it has none.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` where it is not a manifest, `inputMissing` where it cannot be read.
  package static func read(from folder: String) throws(Failure) -> Manifest? {
    try JSONFile.read("\(folder)/\(fileName)") { json throws(WireError) in try Manifest(json) }
  }

  private init(_ json: JSONCursor) throws(WireError) {
    toolVersion = try Self.text(json["toolVersion"], "toolVersion")
    environment = try Self.text(json["environment"], "environment")
    guard let database = DatabaseName(parsing: try Self.text(json["database"], "database")) else {
      throw WireError("it is not projects/P/databases/D", at: ["database"])
    }
    self.database = database
    if let readTime = json["readTime"], !readTime.isNull {
      self.readTime = try WireDecoder.timestamp(readTime, member: "readTime")
    }
    scope = try json["scope"].map { json throws(WireError) in try Scope(json) }
    guard let list = json["files"], list.kind == .array else {
      throw WireError("it is not a list", at: ["files"])
    }
    files = []
    for (index, element) in list.elements.enumerated() {
      do throws(WireError) {
        files.append(
          File(
            file: try Self.name(element["file"]),
            collection: try Self.text(element["collection"], "collection"),
            documents: try Self.count(element["documents"], "documents"),
            bytes: try Self.count(element["bytes"], "bytes"),
            sha256: try Self.text(element["sha256"], "sha256"),
            since: try Self.time(element["since"], "since")
          )
        )
      } catch {
        throw error.inside("[\(index)]").inside("files")
      }
    }
  }

  private static func text(_ json: JSONCursor?, _ name: String) throws(WireError) -> String {
    guard let text = json?.string else { throw WireError("it is not a text", at: [name]) }
    return text
  }

  /// The name of a file of the folder; one that leads out of it was not written by an export.
  private static func name(_ json: JSONCursor?) throws(WireError) -> String {
    let name = try text(json, "file")
    let isPlain =
      !name.isEmpty && !name.isIdentical(to: ".") && !name.isIdentical(to: "..")
      && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    if isPlain { return name }
    throw WireError("'\(name)' is not the name of a file in the folder", at: ["file"])
  }

  private static func time(_ json: JSONCursor?, _ name: String) throws(WireError) -> Timestamp? {
    guard let json, !json.isNull else { return nil }
    return try WireDecoder.timestamp(json, member: name)
  }

  private static func count(_ json: JSONCursor?, _ name: String) throws(WireError) -> Int {
    guard let json, json.integer != nil, let number = WireDecoder.count(json) else {
      throw WireError("it is not a count", at: [name])
    }
    return number
  }
}

extension Manifest {
  /// The database that files came from, as the manifest beside them says; nil where there is none or they disagree.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` for a manifest that cannot be read.
  package static func source(of files: [String]) throws(Failure) -> DatabaseName? {
    var found: DatabaseName?
    for file in files where file != "-" {
      guard let manifest = try read(from: FilePaths.folder(of: file)),
        manifest.files.contains(where: { $0.file.isIdentical(to: FilePaths.name(of: file)) })
      else { return nil }
      if let found, found != manifest.database { return nil }
      found = manifest.database
    }
    return found
  }

  /// The files of a path: a file for itself, a folder for those of its manifest, or, where it has none,
  /// for its JSON Lines in the order of their names, or, where it has none of those, for its tables.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing` for a folder that holds none, `inputMalformed` for its manifest, and for a
  ///   symbolic link that leads out of the folder.
  package static func files(at path: String) throws(Failure) -> [String] {
    guard path != "-", SystemCall.status(path).status?.isFolder ?? false else { return [path] }
    let folder = path.utf8.last == UInt8(ascii: "/") ? String(path.dropLast()) : path
    func chosen(_ names: [String], _ endings: [String]) -> [String] {
      names.filter { name in endings.contains { name.hasSuffix($0) } }
    }
    let lines = [".jsonl", ".jsonl.gz"]
    let tables = [".csv", ".csv.gz", ".xlsx"]
    var names = chosen(try read(from: folder)?.files.map(\.file) ?? [], lines + tables)
    if names.isEmpty { names = chosen(FilePaths.names(in: folder), lines) }
    if names.isEmpty { names = chosen(FilePaths.names(in: folder), tables) }
    if names.isEmpty {
      throw Failure(
        .inputMissing,
        "import",
        path: path,
        cause: "the folder holds no JSON Lines, CSV or XLSX (.jsonl, .csv, also .gz, or .xlsx)"
      )
    }
    let files = names.map { "\(folder)/\($0)" }
    for file in files { try assertWithin(folder, file) }
    return files
  }

  /// Refuses a file of a folder that is a symbolic link out of it: a folder that somebody made may not name files elsewhere.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed`.
  static func assertWithin(_ folder: String, _ file: String) throws(Failure) {
    let inside = FilePaths.resolved(folder.isEmpty ? "/" : folder)
    let prefix = inside.utf8.last == UInt8(ascii: "/") ? inside : "\(inside)/"
    let real = FilePaths.resolved(file)
    // What is not there stays as it is spelt, and is missed where it is read.
    if real.isIdentical(to: file) || real.utf8.starts(with: prefix.utf8) { return }
    throw Failure(
      .inputMalformed,
      "read",
      path: file,
      cause: "it is a symbolic link that leads out of its folder",
      remedy: "Name the file itself, where that is meant."
    )
  }
}
