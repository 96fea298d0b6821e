package import FirestoreModels
import Platform

/// A private copy of an input, so that what was checked is what is read again, whatever becomes of the file meanwhile.
///
/// It has no name from its first moment on, so that nobody else can change it and it is gone with the process. It is read
/// by one reader at a time.
package final class InputCopy: Sendable {
  /// Where it was read; `-` is standard input.
  package let path: String
  /// The SHA-256 of what was read, unpacked where it was gzip, in lower-case hexadecimal.
  package let sha256: String
  private let descriptor: Int32

  /// Copies a file or standard input (`-`).
  ///
  /// - Parameter folder: Where the copy is kept; the folder for temporary files where nil.
  /// - Throws: `.inputMissing`; `.inputMalformed` where compressed data is damaged; `.cannotWrite` naming the folder.
  package init(of path: String, in folder: String? = nil) throws(Failure) {
    var input = try InputFile(path)
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

  /// A descriptor of the copy, at its start; whoever takes it closes it.
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
