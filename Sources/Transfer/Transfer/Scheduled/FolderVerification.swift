import Platform
import Schema
import Tables

/// Compares the files of an export folder with its manifest: size, SHA-256 and number of documents.
package struct FolderVerification: Sendable {
  package struct File: Sendable, Equatable {
    /// The entry in the manifest.
    package var entry: Manifest.File
    /// The differences; empty if the file matches its entry.
    package var problems: [String]
  }

  package let folder: String
  package let manifest: Manifest
  /// The files, in the order of the manifest.
  package let files: [File]
  /// The names of files that are not in the manifest.
  package let others: [String]

  /// Those of them that have the same kind as files in the manifest, as leftovers of another export would; any kind that is
  /// imported if that is not known.
  package var strays: [String] {
    let kinds = Set((manifest.allFiles.map { FileName($0.file).kind } + [manifest.kind]).compactMap(\.self))
    return others.filter { name in
      guard !DocumentPlace.isLitter(name), let kind = FileName(name).kind else { return false }
      return kinds.isEmpty ? InputFormat(inFolder: name) != nil : kinds.contains(kind)
    }
  }

  /// Whether every file matches the manifest, and the manifest lists all files of their kinds.
  package var isWhole: Bool { files.allSatisfy { $0.problems.isEmpty } && strays.isEmpty }

  /// Returns why an export does not go with the earlier ones: it is a copy, or an increment that lacks one of them; nil if it does.
  ///
  /// - Parameter earlier: The older exports in the same folder, oldest first.
  package func lack(behind earlier: [FolderVerification]) -> String? {
    guard manifest.scope != nil else { return nil }
    let own = earlier.filter { $0.manifest.isOfSameDatabase(as: manifest) }
    if let copied = own.last(where: {
      $0.manifest.isOfSameSeries(as: manifest) && $0.manifest.readTime == manifest.readTime
    }), manifest.readTime != nil {
      return "it has the readTime of \(FilePaths.name(of: copied.folder)), so one of them is a copy"
    }
    guard manifest.isIncrement else { return nil }
    let known = own.map(\.manifest)
    guard let base = manifest.base(in: known) else {
      return "it is an increment, and the whole export that it adds to is missing"
    }
    let later = known[(base + 1)...].filter { $0.adds(to: known[base]) && $0.comprises(manifest) }
    return manifest.gap(behind: [known[base]] + later)?.rawValue
  }

  /// Verifies a folder, reading each file once for its checksum and once for its documents.
  ///
  /// - Throws: `.inputMissing` without a manifest, `.inputMalformed` for an invalid one.
  package init(of folder: String, via access: FileAccess = .local) throws(Failure) {
    let found = try Manifest.read(from: folder, via: access)
    let names = try access.names(in: folder)
    let isManaged = found?.allFiles.isEmpty ?? false && names.contains(where: ManagedExport.isOverallFile)
    guard let manifest = found, !isManaged else {
      throw Failure(
        .inputMissing,
        "verify",
        path: folder,
        cause: isManaged
          ? "it is a managed export, whose \(Manifest.fileName) lists no files"
          : "it has no \(Manifest.fileName)",
        remedy: "Name a folder that an export has written."
      )
    }
    self.folder = folder
    self.manifest = manifest
    var files: [File] = []
    var tables: [UTF8Key: Table] = [:]
    for entry in manifest.allFiles {
      try FilePaths.assertWithin(folder, "\(folder)/\(entry.file)")
      let path = "\(folder)/\(entry.file)"
      let collection = UTF8Key(entry.collection)
      let problems = try Self.problems(of: path, entry, &tables[collection, default: Table()], access)
      files.append(File(entry: entry, problems: problems))
    }
    self.files = files
    let known = manifest.knownFiles
    others = names.filter { !known.contains(UTF8Key($0)) }
  }

  /// Returns the dated exports in a folder, oldest first, or the folder itself if it is an export.
  ///
  /// In a bucket, a dated folder without a manifest is left out, because an export is still writing it or was killed.
  ///
  /// - Throws: The reason why an address in a bucket cannot be listed.
  package static func folders(in path: String, via access: FileAccess = .local) throws(Failure) -> [String] {
    let bare = FilePaths.bare(path)
    if try access.exists("\(bare)/\(Manifest.fileName)") { return [bare] }
    var folders: [String] = []
    for name in try access.folders(in: bare) where DatedName.isName(name) {
      let folder = "\(bare)/\(name)"
      if FileAccess.isRemote(bare), try !access.exists("\(folder)/\(Manifest.fileName)") { continue }
      folders.append(folder)
    }
    return folders.isEmpty ? [bare] : folders
  }

  /// The CSV files of a collection so far: those of a divided export are parts of one table, of which the first has the header.
  private struct Table {
    var hasHeader = true
    /// As detected in the first one.
    var delimiter: CSVDelimiter?
  }

  private static func problems(
    of path: String,
    _ entry: Manifest.File,
    _ table: inout Table,
    _ access: FileAccess
  ) throws(Failure) -> [String] {
    defer { table.hasHeader = false }
    guard let size = try access.size(of: path) else { return ["it is missing"] }
    var problems: [String] = []
    if size != entry.bytes {
      problems.append("it has \(size) bytes, and \(entry.bytes) in the manifest")
    }
    do throws(Failure) {
      if try entry.isAltered(at: path, via: access) { problems.append("its SHA-256 differs") }
      if let count = try documents(in: path, &table, via: access), count != entry.documents {
        problems.append(
          "it holds \(NumberText.counted(count, "document")), and \(entry.documents) in the manifest"
        )
      }
    } catch  where error.isRefusal {
      throw error
    } catch
      where [.interrupted, .unavailable, .notPermitted, .configuration, .tryLater].contains(error.kind)
    {
      throw error
    } catch {
      problems.append("it cannot be read: \(error.cause)")
    }
    return problems
  }

  /// Returns the number of documents in a file; nil for a workbook and a JSON array, which are not read.
  private static func documents(
    in path: String,
    _ table: inout Table,
    via access: FileAccess
  ) throws(Failure) -> Int? {
    let kind = FileName(path).kind
    if kind == .csv {
      var reader = try CSVReader(path, delimiter: table.delimiter, via: access)
      var records = 0
      while try reader.next() {
        if Task.isCancelled { throw Failure.stopped("read", path) }
        records += 1
      }
      if !table.hasHeader { return records }
      table.delimiter = reader.delimiter
      return max(0, records - 1)
    }
    guard kind == .jsonl || kind == .ndjson else { return nil }
    var file = try InputFile(path, via: access)
    var lines = 0
    var isWithin = false
    try file.forEachPiece { piece throws(Failure) in
      if Task.isCancelled { throw Failure.stopped("read", path) }
      for byte in piece {
        if byte == UInt8(ascii: "\n") {
          if isWithin { lines += 1 }
          isWithin = false
        } else {
          isWithin = true
        }
      }
    }
    return lines + (isWithin ? 1 : 0)
  }
}
