import Platform

/// Files that no output replaces: databases of SQLite (the embedded store, a mirror, anybody's), what SQLite keeps beside one,
/// and the files by which a run is resumed and undone.
package enum KeptFiles {
  /// Refuses a path whose file is kept.
  ///
  /// - Parameters:
  ///   - path: A path without symbolic links.
  ///   - isDatabase: Whether a database is written there by one who knows which other it may replace.
  /// - Throws: `.cannotWrite`.
  static func assertReplaceable(_ path: String, isDatabase: Bool) throws(Failure) {
    guard let cause = reason(path, isDatabase) else { return }
    throw Failure.cannotWrite(path, cause, remedy: "Name another file.")
  }

  /// Whether a regular file begins as a database of SQLite does.
  package static func isDatabase(_ path: String) -> Bool {
    guard SystemCall.status(path).status?.isRegularFile ?? false else { return false }
    let (descriptor, code) = SystemCall.open(path, O_RDONLY)
    guard code == 0 else { return false }
    defer { close(descriptor) }
    let mark = Array("SQLite format 3\0".utf8)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: mark.count, alignment: 16)
    defer { buffer.deallocate() }
    return SystemCall.read(descriptor, into: buffer).count == mark.count && buffer.elementsEqual(mark)
  }

  private static func reason(_ path: String, _ isForDatabase: Bool) -> String? {
    if !isForDatabase, isDatabase(path) { return "it is a database, whose data would be lost" }
    for suffix in ["-wal", "-shm", "-journal"] where path.hasSuffix(suffix) {
      if isDatabase(String(path.dropLast(suffix.count))) { return "SQLite keeps changes of a database there" }
    }
    let isOfRun = ["run.json", "journal.jsonl", "checkpoint.json"].contains(FilePaths.name(of: path))
    let record = "\(FilePaths.folder(of: path))/run.json"
    guard isOfRun, SystemCall.status(path).status != nil, SystemCall.status(record).status != nil else {
      return nil
    }
    return "a run is resumed and undone by it"
  }
}
