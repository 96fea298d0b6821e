package import Files
package import FirestoreModels

/// A folder written by Firestore's managed export (`gcloud firestore export`), Google's emulator or `export --format
/// managed`.
///
/// Its overall file is written last; it names the files with the documents and their number.
package struct ManagedExport: Sendable, Equatable {
  /// The suffix of the overall file's name.
  package static let ending = ".overall_export_metadata"
  /// The file that Firebase's emulators write beside their exports, which contains the exports' location.
  private static let firebaseFile = "firebase-export-metadata.json"
  private static let maximumMetadataBytes = 4 << 20

  /// The path as given by the user; for a part, its file.
  package private(set) var path: String
  /// The overall file.
  package let overallFile: String
  /// The files with the documents.
  package private(set) var outputs: [String] = []
  /// The index of this part in ``parts``; nil for the whole export.
  package private(set) var part: Int?
  package var isPart: Bool { part != nil }
  /// The number of documents in all files, even for a part.
  package private(set) var documents = 0
  /// The size of all documents in bytes, without padding.
  package private(set) var bytes = 0
  /// The time at which the export ended, by the service's clock.
  package private(set) var endTime: Timestamp?
  /// The database of the documents; nil if there are none.
  package private(set) var database: DatabaseName?

  /// Finds the export at a path: its folder, its overall file, or the enclosing folder of Firebase's emulators.
  ///
  /// - Parameter isCertain: Whether the path must be an export.
  /// - Returns: Nil if it is not an export.
  /// - Throws: ``Failure`` of kind `inputMissing` for an incomplete export, `inputMalformed` for damage, `usage` for a
  ///   folder with several exports.
  package init?(at path: String, isCertain: Bool = false, via files: FileAccess = .local) throws(Failure) {
    guard let overall = try Self.overallFile(at: path, isCertain: isCertain, via: files) else { return nil }
    (self.path, overallFile) = (path, overall)
    let folder = FilePaths.folder(of: overall)
    for kind in try Self.kinds(in: overall, via: files) {
      documents = documents.addingReportingOverflow(kind.documents).partialValue
      bytes = bytes.addingReportingOverflow(kind.bytes).partialValue
      try add(kind.path, in: folder, via: files)
    }
    if Set(outputs.map { UTF8Key($0) }).count < outputs.count {
      throw .malformed(overall, "a file is named in it twice")
    }
    // Any of the files may be empty.
    for output in documents > 0 ? outputs : [] where database == nil {
      var log = try LogReader(output, via: files)
      while database == nil, try log.advance() {
        database = try? log.withRecord { bytes throws(WireError) in try EntityDecoder.document(bytes).database
        }
      }
    }
  }

  /// The files of the export; the first changes with every export.
  package var allFiles: [String] { [overallFile] + (FileAccess.isRemote(overallFile) ? [] : outputs) }

  /// Each of its files as an export by itself, so that they can be read in parallel.
  package var parts: [ManagedExport] {
    outputs.enumerated().map { index, output in
      var export = self
      (export.path, export.outputs, export.part) = (output, [output], index)
      return export
    }
  }

  /// Returns how the size of its files differs from the one in the overall file; nil if it does not, or if none is known.
  ///
  /// Files may be padded with zeros to whole blocks, which do not count.
  package func difference(via files: FileAccess) throws(Failure) -> String? {
    var (size, padding) = (0, 0)
    for output in outputs {
      guard let bytes = try files.size(of: output) else { return nil }
      size += bytes
      if bytes > 0, bytes.isMultiple(of: LogFormat.blockSize) { padding += LogFormat.blockSize - 1 }
    }
    if bytes == 0 || (size - padding...size).contains(bytes) { return nil }
    return
      "its files have \(NumberText.grouped(size)) bytes, and \(NumberText.grouped(bytes)) were exported: one of them may be of another export."
  }

  /// Checks the number of documents found in all of its files.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` if any are missing.
  package func assertWhole(_ found: Int) throws(Failure) {
    if found == documents { return }
    throw .malformed(
      isPart ? FilePaths.folder(of: overallFile) : path,
      "there are \(found) documents in it, and \(documents) were exported",
      remedy: "Files are damaged or cut off: get the export again."
    )
  }

  // MARK: Finding

  /// Whether a file name is that of an overall file, which makes its folder an export.
  package static func isOverallFile(_ name: String) -> Bool {
    name.utf8.count > ending.utf8.count && name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
  }

  private static func overallFile(
    at path: String,
    isCertain: Bool,
    via files: FileAccess
  ) throws(Failure) -> String? {
    if path == "-" { return nil }
    if path.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) { return path }
    guard try files.isFolder(path) else { return nil }
    let folder = FilePaths.bare(path)
    let names = try files.names(in: folder)
    let found = names.filter(isOverallFile)
    if let first = found.first {
      if found.count == 1 { return "\(folder)/\(first)" }
      throw Failure(
        .usage,
        "read",
        path: path,
        cause: "it holds several exports",
        remedy: "Name one: \(FilePaths.list(found))."
      )
    }
    if names.contains(where: { $0.isIdentical(to: firebaseFile) }) {
      return try "\(folder)/\(firebasePath("\(folder)/\(firebaseFile)", via: files))"
    }
    // If there are files of other kinds, nothing else is looked for.
    if !isCertain, names.contains(where: { InputFormat(inFolder: $0) != nil }) { return nil }
    let isUnfinished = try files.folders(in: folder).contains { $0.isIdentical(to: "all_namespaces") }
    guard isUnfinished || isCertain else { return nil }
    throw Failure(
      .inputMissing,
      "read",
      path: path,
      cause: "there is no file *\(ending), which a managed export writes last",
      remedy: isUnfinished
        ? "The export was cancelled, or not all of it was copied." : "Name the folder that has it."
    )
  }

  private static func firebasePath(_ path: String, via files: FileAccess) throws(Failure) -> String {
    let bytes = try bytes(of: path, via: files)
    let name = try? JSONParser().parse(bytes) { json throws(WireError) in
      json["firestore"]?["metadata_file"]?.string
    }
    guard let name else { throw .malformed(path, "it names no export of Firestore") }
    return try inner(name, of: path)
  }

  // MARK: Metadata

  private struct Kind {
    var path = ""
    var documents = 0
    var bytes = 0
  }

  /// Reads the entries of the overall file, one per folder of kinds.
  private static func kinds(in path: String, via files: FileAccess) throws(Failure) -> [Kind] {
    var log = try LogReader(path, via: files)
    let isOurs = try log.advance() && log.withRecord { $0.elementsEqual([0x33]) }
    guard isOurs, try log.advance() else { throw .malformed(path, "it does not begin as such a file does") }
    var kinds: [Kind] = []
    repeat {
      try reading(path) { () throws(WireError) in
        try log.withRecord { bytes throws(WireError) in
          try forEachMessage(1, of: bytes) { message throws(WireError) in kinds.append(try kind(message)) }
        }
      }
    } while try log.advance()
    return kinds
  }

  private static func kind(_ message: UnsafeRawBufferPointer) throws(WireError) -> Kind {
    var kind = Kind()
    try forEachField(of: message) { number, content throws(WireError) in
      switch (number, content) {
      case (2, .bytes(let bytes)): kind.path = try bytes.text()
      case (3, .number(let number)): kind.documents = Int(clamping: number)
      case (4, .number(let number)): kind.bytes = Int(clamping: number)
      default: break
      }
    }
    return kind
  }

  /// Adds the files named in the metadata of a folder of kinds.
  private mutating func add(_ name: String, in folder: String, via files: FileAccess) throws(Failure) {
    let path = "\(folder)/\(try Self.inner(name, of: overallFile))"
    let metadata = try Self.bytes(of: path, via: files)
    var names: [String] = []
    try Self.reading(path) { () throws(WireError) in
      try metadata.span.withUnsafeBytes { bytes throws(WireError) in
        try Self.forEachMessage(1, of: bytes) { message throws(WireError) in
          endTime = try Self.endTime(message) ?? endTime
        }
        try Self.forEachMessage(2, of: bytes) { message throws(WireError) in
          try Self.forEachMessage(2, of: message) { name throws(WireError) in names.append(try name.text()) }
        }
      }
    }
    for name in names {
      let output = "\(FilePaths.folder(of: path))/\(try Self.inner(name, of: path))"
      try FilePaths.assertWithin(folder, output)
      outputs.append(output)
    }
  }

  /// Returns the end of an export, given in microseconds, or in seconds by old emulators; nil if it makes no sense.
  private static func endTime(_ message: UnsafeRawBufferPointer) throws(WireError) -> Timestamp? {
    var end: Int64?
    try forEachField(of: message) { number, content in
      if number == 3, case .number(let time) = content { end = Int64(exactly: time) }
    }
    return end.flatMap { Timestamp(seconds: $0 < 1 << 40 ? $0 : $0 / 1_000_000) }
  }

  private static func forEachMessage(
    _ number: Int,
    of bytes: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(WireError) -> Void
  ) throws(WireError) {
    try forEachField(of: bytes) { found, content throws(WireError) in
      if found == number, case .bytes(let message) = content { try body(message) }
    }
  }

  /// Calls `body` with the number and the content of each field; a group is an error.
  private static func forEachField(
    of bytes: UnsafeRawBufferPointer,
    _ body: (_ number: Int, ProtoReader.Content) throws(WireError) -> Void
  ) throws(WireError) {
    var reader = ProtoReader(bytes)
    while let field = try reader.next() {
      if case .group = field.content { throw WireError("field \(field.number) is a group") }
      try body(field.number, field.content)
    }
  }

  private static func reading(_ path: String, _ body: () throws(WireError) -> Void) throws(Failure) {
    do throws(WireError) {
      try body()
    } catch {
      throw .malformed(path, "\(error)", remedy: "It is damaged: get the export again.")
    }
  }

  private static func bytes(of path: String, via files: FileAccess) throws(Failure) -> [UInt8] {
    var file = try InputFile(path, decompresses: false, via: files)
    return try file.bytes(
      atMost: maximumMetadataBytes,
      orThrow: .malformed(path, "it has more than \(maximumMetadataBytes) bytes")
    )
  }

  /// Checks that a name in a file does not lead outside the file's folder.
  private static func inner(_ name: String, of path: String) throws(Failure) -> String {
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let isInner = parts.allSatisfy { part in
      !part.isEmpty && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8) && !part.contains(0)
    }
    if isInner { return name }
    throw .malformed(path, "'\(PathLimits.shortened(name))', which it names, is no file of its folder")
  }
}
