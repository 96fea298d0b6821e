import Platform

/// Files that no output may replace.
///
/// These are SQLite databases (the embedded store, a mirror, or anybody's), the files that SQLite keeps beside them, the
/// files needed to resume and undo a run, and the files that the command itself reads.
package enum KeptFiles {
  /// Identifies a file, whatever its path.
  private struct Identity: Hashable {
    let device: UInt64
    let number: UInt64

    init(_ status: stat) { (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino)) }
  }

  private struct Used {
    var inputs: Set<Identity> = []
    /// The paths of outputs, by the identity when they were named, because a replaced file has another identity.
    var outputs: [Identity: String] = [:]
    /// The addresses of remote files, which identify them.
    var (remoteInputs, remoteOutputs): (Set<UTF8Key>, Set<UTF8Key>) = ([], [])
  }

  private static let used = Locked(Used())
  private static let cause = "the command reads it, too"

  /// Records that a file is read.
  ///
  /// - Throws: `.cannotWrite` if it is one of those passed to ``assertUnread(_:)``.
  static func willRead(_ status: stat, _ path: String) throws(Failure) {
    let identity = Identity(status)
    let output = used.withLock { used in
      used.inputs.insert(identity)
      return used.outputs[identity]
    }
    // After the output has been replaced, any new file may have its number.
    if let output, SystemCall.status(output).status.map(Identity.init) == identity {
      throw refusal(path, cause)
    }
  }

  /// Records that a remote file is read, by the address to which links in its name lead.
  ///
  /// - Throws: `.cannotWrite` if it is one of those passed to ``assertUnread(_:)``.
  package static func willRead(remote address: String) throws(Failure) {
    let key = UTF8Key(address)
    let isOutput = used.withLock { used in
      used.remoteInputs.insert(key)
      return used.remoteOutputs.contains(key)
    }
    if isOutput { throw refusal(address, cause) }
  }

  /// Allows a remote output to be read now that it is complete.
  package static func didWrite(remote address: String) {
    used.withLock { _ = $0.remoteOutputs.remove(UTF8Key(address)) }
  }

  /// Refuses an output file that this process has read; if it is read before it is complete, that is refused.
  ///
  /// - Parameter path: A path, or the address of a remote file.
  /// - Throws: `.cannotWrite`.
  package static func assertUnread(_ path: String) throws(Failure) {
    if FileAccess.isRemote(path) {
      let key = UTF8Key(path)
      let isInput = used.withLock { used in
        used.remoteOutputs.insert(key)
        return used.remoteInputs.contains(key)
      }
      if isInput { throw refusal(path, cause) }
      return
    }
    guard let status = SystemCall.status(path).status, status.isRegularFile else { return }
    let identity = Identity(status)
    let isInput = used.withLock { used in
      used.outputs[identity] = path
      return used.inputs.contains(identity)
    }
    if isInput { throw refusal(path, cause) }
  }

  /// Refuses a path whose file is kept.
  ///
  /// - Parameters:
  ///   - path: A path without symbolic links.
  ///   - isDatabase: Whether the caller writes a database there, and has determined which one it may replace.
  /// - Throws: `.cannotWrite`.
  static func assertReplaceable(_ path: String, isDatabase: Bool) throws(Failure) {
    guard let cause = reason(path, isDatabase) else { return }
    throw refusal(path, cause)
  }

  private static func refusal(_ path: String, _ cause: String) -> Failure {
    var failure = Failure.cannotWrite(path, cause, remedy: "Name another file for the output.")
    failure.isRefusal = true
    return failure
  }

  /// Whether a regular file begins like an SQLite database.
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
