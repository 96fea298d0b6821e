package import FirestoreModels
import Platform

/// Paths of files: their folders, links and temporary neighbours.
package enum FilePaths {
  /// The names in a folder, in the order of their bytes; none where it cannot be read.
  package static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      names.append(
        withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) {
            String(cString: $0)
          }
        }
      )
    }
    return names.filter { $0 != "." && $0 != ".." }.sorted { $0.compareUTF8($1) < 0 }
  }

  /// The folder that a file is in; `.` for a bare name.
  package static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.utf8.startIndex ? "/" : String(path[..<slash])
  }

  /// The last part of a path.
  package static func name(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return String(path[path.utf8.index(after: slash)...])
  }

  /// Makes a folder that its owner alone may look into; 0, or the error number.
  package static func makeFolder(_ path: String) -> Int32 { mkdir(path, 0o700) == 0 ? 0 : errno }

  /// Where a chain of symbolic links ends; the path itself where it is no link.
  package static func resolved(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }

  /// Makes an empty file of a hidden, unique name in the folder of `target`, readable by its owner alone.
  package static func createTemporary(
    beside target: String,
    reporting path: String
  ) throws(Failure) -> (name: String, descriptor: Int32) {
    // A name may be 255 bytes long; what does not matter of it is cut.
    let stem = String(decoding: Array(name(of: target).utf8.prefix(200)), as: UTF8.self)
    for _ in 0..<100 {
      let name =
        "\(folder(of: target))/.\(stem).\(String(UInt32.random(in: 0...UInt32.max), radix: 36)).partial"
      let (descriptor, code) = SystemCall.open(name, O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
      if descriptor >= 0 { return (name, descriptor) }
      if code != EEXIST { throw Failure.cannotWrite(path, errno: code) }
    }
    throw Failure.cannotWrite(path, "no temporary name is free beside it")
  }

  /// A folder for temporary files: the output's own, where there is room for the output anyway; `TMPDIR`, else
  /// `/tmp`, for standard output and devices.
  package static func temporaryFolder(for path: String) -> String {
    if path != "-", SystemCall.status(path).status.map(\.isRegularFile) ?? true {
      return folder(of: resolved(path))
    }
    guard let value = getenv("TMPDIR"), value.pointee != 0 else { return "/tmp" }
    return String(cString: value)
  }
}
