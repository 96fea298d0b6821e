import Tables

/// What a path from which documents are read refers to: a file, a folder of files or of an export, or a managed export.
package struct DocumentPlace: Sendable {
  /// The path as given by the user.
  package let path: String
  package let isFolder: Bool
  /// The managed export at the path, if it is one.
  let managed: ManagedExport?
  /// The manifest of the folder, or the one beside the file that lists it; a managed export has one only if it is
  /// masked or may lack fields, which lists no files.
  package let manifest: Manifest?

  /// The database of its documents, if known.
  package var database: DatabaseName? { manifest?.database ?? managed?.database }
  /// The manifest of exactly these documents: for a file, the one beside it, reduced to the file.
  var ownManifest: Manifest? {
    isFolder || managed != nil ? manifest : manifest?.cut(to: FilePaths.name(of: path))
  }
  /// Whether the absence of a field, among those that were exported, means that a document did not have it.
  var knowsFields: Bool {
    if let manifest { return manifest.scope?.knowsFields ?? false }
    // Google's own exports have whole documents.
    return managed != nil
  }
  /// The time as of which its documents were read, if known; for managed exports, when they ended.
  var moment: Timestamp? { manifest?.readTime ?? managed?.endTime }

  /// Returns the sources of its documents.
  ///
  /// For a folder, these are the files of its manifest, or else its JSON Lines and tables by name, and last the list of
  /// deleted documents.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing` for a folder without such files or an unfinished export, `inputMalformed` for
  ///   a symbolic link that leads out of the folder.
  package func sources(via access: FileAccess) throws(Failure) -> [ImportSource] {
    if let managed { return [ImportSource(managed)] }
    if !isFolder { return [source(path)] }
    let folder = FilePaths.bare(path)
    try assertFinished(folder)
    let documents = manifest == nil ? try DocumentTree.sources(in: folder, via: access) : []
    if !documents.isEmpty { return documents }
    let files = try names(in: folder, via: access).map { "\(folder)/\($0)" }
    let lists = deletions(in: folder)?.files ?? []
    for file in files + lists { try FilePaths.assertWithin(folder, file) }
    return files.map(source) + (deletions(in: folder).map { [$0] } ?? [])
  }

  /// The list of the documents that the export found to be deleted, which has to come last.
  private func deletions(in folder: String) -> ImportSource? {
    manifest?.deleted.map { list in
      var source = ImportSource(path: "\(folder)/\(list.file)", format: .jsonLines)
      (source.isFromFolder, source.manifest, source.listsDeletions) = (true, manifest, true)
      return source
    }
  }

  private func source(_ file: String) -> ImportSource {
    var source = ImportSource(path: file, format: .jsonLines)
    source.isFromFolder = isFolder
    source.manifest = manifest?.file(named: FilePaths.name(of: file)) == nil ? nil : manifest
    return source
  }

  private func names(in folder: String, via access: FileAccess) throws(Failure) -> [String] {
    let unread = [Manifest.fileName] + (manifest?.deleted.map { [$0.file] } ?? [])
    func isRead(_ name: String) -> Bool {
      !Self.isLitter(name) && !unread.contains { $0.isIdentical(to: name) }
        && InputFormat(inFolder: name) != nil
    }
    let named = (manifest?.files.map(\.file) ?? []).filter(isRead)
    if !named.isEmpty { return named }
    let found = try access.names(in: folder)
    let names = found.filter(isRead)
    // An export of a database without documents has no files.
    if manifest?.files.isEmpty ?? false {
      if names.isEmpty { return [] }
      throw .malformed(
        path,
        "its \(Manifest.fileName) says that there were no documents, and beside it there is \(FilePaths.list(names))",
        remedy: "Move it away, or name the file itself to read it."
      )
    }
    if !names.isEmpty { return names }
    try assertNotOfExports(folder, via: access)
    let others = found.isEmpty ? "" : ", but \(FilePaths.list(found))"
    throw Failure(
      .inputMissing,
      "read",
      path: path,
      cause: "the folder holds no JSON Lines, CSV or XLSX (.jsonl, .csv, also .gz, or .xlsx)\(others)"
    )
  }

  /// Refuses a dated export without a manifest, which is written last.
  private func assertFinished(_ folder: String) throws(Failure) {
    let name = FilePaths.name(of: folder)
    guard manifest == nil, DatedName.isName(name) || DatedName.stamp(ofHidden: name) != nil else { return }
    throw Failure(
      .inputMissing,
      "read",
      path: path,
      cause: "it is a dated export without a \(Manifest.fileName), which is written last",
      remedy:
        "The export was stopped, or not all of it was copied: take another. To read what is there, name the files themselves."
    )
  }

  /// Refuses a folder of scheduled exports, each of which is in its own subfolder.
  private func assertNotOfExports(_ folder: String, via access: FileAccess) throws(Failure) {
    let exports = try FolderVerification.folders(in: folder, via: access).filter {
      !$0.isIdentical(to: folder)
    }
    guard let last = exports.last else { return }
    throw Failure(
      .inputMissing,
      "read",
      path: path,
      cause: "it is a folder of dated exports",
      remedy: "Name one, as \(last)."
    )
  }

  /// Whether a name is that of a file that systems and programs leave behind in folders: `.DS_Store`, `._x.csv`,
  /// `~$x.xlsx`, `Thumbs.db`, `desktop.ini`.
  static func isLitter(_ name: String) -> Bool {
    if name.utf8.first == UInt8(ascii: ".") || name.hasPrefix("~$") { return true }
    return ["thumbs.db", "desktop.ini"].contains { name.lowercased().isIdentical(to: $0) }
  }
}

/// Determines what paths refer to, reading each manifest only once, because one folder holds many files.
package struct PlaceReader {
  private let files: FileAccess
  private var manifests: [UTF8Key: Manifest?] = [:]

  package init(_ files: FileAccess) { self.files = files }

  /// - Parameter isManaged: Whether the path has to be a managed export, or is not one; nil to find out.
  /// - Throws: The errors of ``ManagedExport`` and ``Manifest/read(from:via:)``.
  package mutating func place(at path: String, isManaged: Bool? = nil) throws(Failure) -> DocumentPlace {
    var managed: ManagedExport?
    if isManaged ?? true {
      managed = try ManagedExport(at: path, isCertain: isManaged ?? false, via: files)
    }
    let isFolder = path == "-" ? false : try files.isFolder(path)
    let manifest: Manifest?
    if let managed {
      manifest = try self.manifest(ofManaged: managed)
    } else {
      manifest = try isFolder ? self.manifest(of: FilePaths.bare(path)) : self.manifest(naming: path)
    }
    return DocumentPlace(path: path, isFolder: isFolder, managed: managed, manifest: manifest)
  }

  private mutating func manifest(naming path: String) throws(Failure) -> Manifest? {
    if path == "-" { return nil }
    let manifest = try manifest(of: FilePaths.folder(of: path))
    return manifest?.file(named: FilePaths.name(of: path)) == nil ? nil : manifest
  }

  private mutating func manifest(ofManaged export: ManagedExport) throws(Failure) -> Manifest? {
    let manifest = try manifest(of: FilePaths.folder(of: export.overallFile))
    // Any other is of another export in the same folder.
    guard let manifest, manifest.allFiles.isEmpty, manifest.scope?.needsMark ?? false else { return nil }
    return manifest
  }

  private mutating func manifest(of folder: String) throws(Failure) -> Manifest? {
    if let known = manifests[UTF8Key(folder)] { return known }
    let manifest = try Manifest.read(from: folder, via: files)
    manifests[UTF8Key(folder)] = .some(manifest)
    return manifest
  }
}
