import Files
package import FirestoreModels
import Platform
import Tables

/// Compares the files of an export directory with its manifest: size, SHA-256 and number of documents.
package struct FolderVerification: Sendable {
  /// One file of the manifest.
  package struct File: Sendable, Equatable {
    /// The entry in the manifest.
    package var entry: Manifest.File
    /// The differences; none if the file matches its entry.
    package var problems: [String]
  }

  /// The path of the folder.
  package let folder: String
  /// The manifest.
  package let manifest: Manifest
  /// The files, in the order of the manifest.
  package let files: [File]
  /// The names of files that are not in the manifest.
  package let others: [String]

  /// Whether every file matches the manifest.
  package var isWhole: Bool { files.allSatisfy { $0.problems.isEmpty } }

  /// Verifies a folder, reading each file once for its checksum and once for its documents.
  ///
  /// - Throws: `.inputMissing` without a manifest, `.inputMalformed` for an invalid one.
  package init(of folder: String) throws(Failure) {
    guard let manifest = try Manifest.read(from: folder) else {
      throw Failure(
        .inputMissing,
        "verify",
        path: folder,
        cause: "it has no \(Manifest.fileName)",
        remedy: "Name a folder that an export has written."
      )
    }
    self.folder = folder
    self.manifest = manifest
    var named: Set = [UTF8Key(Manifest.fileName)]
    var files: [File] = []
    for entry in manifest.files {
      try Manifest.assertWithin(folder, "\(folder)/\(entry.file)")
      named.insert(UTF8Key(entry.file))
      files.append(File(entry: entry, problems: try Self.problems(of: "\(folder)/\(entry.file)", entry)))
    }
    self.files = files
    others = FilePaths.names(in: folder).filter { !named.contains(UTF8Key($0)) }
  }

  /// Returns the dated exports in a folder, oldest first, or the folder itself if it is an export.
  package static func folders(in path: String) -> [String] {
    var bare = path
    while bare.utf8.count > 1, bare.hasSuffix("/") { bare.removeLast() }
    if SystemCall.status("\(bare)/\(Manifest.fileName)").status != nil { return [bare] }
    let names = FilePaths.names(in: bare).filter { DatedName.isName($0) }
    return names.isEmpty ? [bare] : names.map { "\(bare)/\($0)" }
  }

  private static func problems(of path: String, _ entry: Manifest.File) throws(Failure) -> [String] {
    guard let status = SystemCall.status(path).status, status.isRegularFile else { return ["it is missing"] }
    var problems: [String] = []
    if Int(status.st_size) != entry.bytes {
      problems.append("it has \(status.st_size) bytes, and \(entry.bytes) in the manifest")
    }
    do throws(Failure) {
      let sha256 = try checksum(of: path)
      if !sha256.isIdentical(to: entry.sha256) { problems.append("its SHA-256 differs") }
      if let count = try documents(in: path), count != entry.documents {
        problems.append("it holds \(count) documents, and \(entry.documents) in the manifest")
      }
    } catch  where error.kind == .interrupted {
      throw error
    } catch {
      problems.append("it cannot be read: \(error.cause)")
    }
    return problems
  }

  /// Returns the SHA-256 of a file's bytes on disk.
  private static func checksum(of path: String) throws(Failure) -> String {
    let (descriptor, _, code) = SystemCall.openToRead(path)
    if descriptor < 0 { throw Failure.cannotRead(path, errno: code) }
    defer { close(descriptor) }
    var digest = try SHA256Digest()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let (count, code, isStopped) = SystemCall.readUnlessStopped(descriptor, into: buffer)
      if isStopped { throw Failure.stopped("read", path) }
      if code != 0 { throw Failure.cannotRead(path, errno: code) }
      if count == 0 { return digest.finish() }
      digest.update(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
    }
  }

  /// Returns the number of documents in a file; nil for a workbook, whose rows are not read.
  private static func documents(in path: String) throws(Failure) -> Int? {
    if path.hasSuffix(".csv") || path.hasSuffix(".csv.gz") {
      var reader = try CSVReader(path, delimiter: nil)
      var records = 0
      while try reader.next() {
        if Task.isCancelled { throw Failure.stopped("read", path) }
        records += 1
      }
      return max(0, records - 1)
    }
    guard path.hasSuffix(".jsonl") || path.hasSuffix(".jsonl.gz") else { return nil }
    var file = try InputFile(path)
    var lines = 0
    var isWithin = false
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      if Task.isCancelled { throw Failure.stopped("read", path) }
      let count = try file.read(into: buffer)
      if count == 0 { return lines + (isWithin ? 1 : 0) }
      for byte in UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]) {
        if byte == UInt8(ascii: "\n") {
          if isWithin { lines += 1 }
          isWithin = false
        } else {
          isWithin = true
        }
      }
    }
  }
}
