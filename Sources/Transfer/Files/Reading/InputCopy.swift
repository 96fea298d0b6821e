package import FirestoreModels
import Platform

/// A private copy of an input, so that what was checked is what is read later.
///
/// The file is unlinked as soon as it is created: nobody else can change it, and it disappears with the
/// process. Only one reader may use it at a time.
package final class InputCopy: Sendable {
  /// The path of the original; `-` is standard input.
  package let path: String
  /// The SHA-256 of the (decompressed) content in lower-case hexadecimal.
  package let sha256: String
  private let descriptor: Int32

  /// Copies a file or standard input (`-`).
  ///
  /// - Parameter folder: The folder of the copy; the temporary folder if nil.
  /// - Throws: `.inputMissing`; `.inputMalformed` for damaged gzip data; `.cannotWrite` with the folder; for a remote address as
  ///   ``RemoteFiles/reader(of:)``.
  package init(
    of path: String,
    in folder: String? = nil,
    via files: FileAccess = .local
  ) throws(Failure) {
    var input = try InputFile(path, via: files)
    let folder = folder ?? FilePaths.temporaryFolder(for: "-")
    let (name, descriptor) = try FilePaths.createTemporary(
      beside: "\(folder)/gymmigrate-input",
      reporting: folder
    )
    unlink(name)
    do throws(Failure) {
      sha256 = try Self.fill(descriptor, from: &input, in: folder)
    } catch {
      close(descriptor)
      throw error
    }
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Returns a new descriptor at the start of the copy, which the caller closes.
  ///
  /// - Throws: `.inputMissing`.
  func descriptorAtStart() throws(Failure) -> Int32 {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0, lseek(copy, 0, SEEK_SET) == 0 else {
      let code = errno
      if copy >= 0 { close(copy) }
      throw Failure(.inputMissing, "read", path: path, cause: SystemCall.text(code))
    }
    return copy
  }

  private static func fill(
    _ descriptor: Int32,
    from input: inout InputFile,
    in folder: String
  ) throws(Failure) -> String {
    var digest = try SHA256Digest()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let count = try input.read(into: buffer)
      if count == 0 { return digest.finish() }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      digest.update(bytes)
      let code = SystemCall.write(descriptor, bytes)
      if code != 0 { throw Failure.cannotWrite(folder, errno: code) }
    }
  }
}
