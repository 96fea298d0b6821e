import Platform
package import TypedDocuments

/// Small files that hold one JSON object: manifests, run records and summaries.
package enum JSONFile {
  /// Reads a file; nil if it does not exist.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` for invalid content, for more than 64 MiB and for a pipe, `inputMissing`
  ///   for a read error; for a remote address, the errors of ``RemoteFiles/reader(of:)``.
  package static func read<Result>(
    _ path: String,
    via files: FileAccess = .local,
    _ body: (JSONCursor) throws(WireError) -> Result
  ) throws(Failure) -> Result? {
    if FileAccess.isRemote(path) ? try !files.exists(path) : SystemCall.status(path).status == nil {
      return nil
    }
    if !FileAccess.isRemote(path) { try FileCheck.assertNoPipe(path) }
    var file = try InputFile(path, via: files)
    let bytes = try file.bytes(
      atMost: 64 << 20,
      orThrow: Failure(.inputMalformed, "read", path: path, cause: "it is larger than 64 MiB")
    )
    return try parse(bytes, of: path, body)
  }

  /// Parses the bytes of a file.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` for anything but one JSON object, including for the errors of `body`.
  package static func parse<Result>(
    _ bytes: [UInt8],
    of path: String,
    _ body: (JSONCursor) throws(WireError) -> Result
  ) throws(Failure) -> Result {
    do throws(WireError) {
      return try JSONParser().parse(bytes) { json throws(WireError) in
        guard json.kind == .object else { throw WireError("it is not a JSON object") }
        return try body(json)
      }
    } catch {
      throw Failure(.inputMalformed, "read", path: path, cause: error.description)
    }
  }

  /// Reads a file that holds a record; nil if it does not exist.
  ///
  /// - Throws: The errors of ``read(_:via:_:)``.
  package static func read<Record: JSONRecord>(
    _ path: String,
    via files: FileAccess = .local,
    as type: Record.Type
  ) throws(Failure) -> Record? {
    try read(path, via: files) { json throws(WireError) in try Record(json) }
  }

  /// Writes a file atomically: to a temporary file, which is synced and renamed.
  ///
  /// - Throws: `.cannotWrite`.
  package static func write(_ json: [UInt8], to path: String) throws(Failure) {
    let temporary = "\(path).part"
    unlink(temporary)
    do throws(Failure) {
      let file = try AppendOnlyFile(temporary)
      try file.append(json + [UInt8(ascii: "\n")])
      try file.sync()
      if rename(temporary, path) != 0 { throw Failure.cannotWrite(path, errno: errno) }
    } catch {
      unlink(temporary)
      var failure = error
      failure.path = path
      throw failure
    }
    SystemCall.synchronizeFolder(FilePaths.folder(of: path))
  }
}
