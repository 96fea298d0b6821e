import Files
import Platform

/// Complete workbooks in a temporary file.
extension XLSXWriter {
  /// Renames the temporary file to its target.
  func publish(as target: String) throws(Failure) -> OutputFile.Receipt {
    let (descriptor, code) = SystemCall.open(temporary, O_RDONLY)
    if descriptor < 0 { throw Failure.cannotWrite(path, errno: code) }
    defer { close(descriptor) }
    if let mode = SystemCall.status(target).status?.st_mode { fchmod(descriptor, mode & 0o7777) }
    let synced = SystemCall.synchronize(descriptor)
    if synced != 0 { throw Failure.cannotWrite(path, errno: synced) }
    guard let size = SystemCall.status(temporary).status?.st_size else {
      throw Failure.cannotWrite(path, errno: ENOENT)
    }
    let sha256 =
      digest ? try SHA256Digest.hexadecimal(ofFileAt: temporary, decompresses: false) : nil
    guard rename(temporary, target) == 0 else { throw Failure.cannotWrite(path, errno: errno) }
    SystemCall.synchronizeFolder(FilePaths.folder(of: target))
    return OutputFile.Receipt(path: path, bytes: Int(size), sha256: sha256)
  }

  /// Copies it to a target that is not a local file, such as standard output or an object in a bucket.
  func copyOut() throws(Failure) -> OutputFile.Receipt {
    var file = try OutputFile(path, gzip: false, digest: digest, via: files)
    var finished = try InputFile(temporary, decompresses: false)
    try finished.forEachPiece { piece throws(Failure) in try file.write(piece) }
    return try file.finish()
  }
}
