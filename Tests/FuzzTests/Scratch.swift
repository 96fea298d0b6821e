import Platform

@testable import Files

/// Runs `body` with an empty folder, and expects that nothing beside it was made, changed or removed.
func inFolder(_ files: [(name: String, bytes: [UInt8])], _ body: (String) -> Void) {
  let outside = Scratch.folder
  let folder = "\(outside)/inside"
  Scratch.remove(folder)
  let others = FilePaths.names(in: outside)
  expect(mkdir(folder, 0o700) == 0, "there is no folder to fuzz with")
  for (name, bytes) in files {
    var path = folder
    for part in name.split(separator: "/").dropLast() {
      path += "/\(part)"
      mkdir(path, 0o700)
    }
    Scratch.put(bytes, to: "\(folder)/\(name)")
  }
  body(folder)
  expect(
    FilePaths.names(in: outside).sorted() == (others + ["inside"]).sorted(),
    "something was made beside the folder"
  )
  expect(
    Scratch.size(of: "\(outside)/outside") == Scratch.canary.count,
    "a file beside the folder is another"
  )
}

/// A folder of this process, in memory where the system has one for that.
enum Scratch {
  static let canary = Array("untouched\n".utf8)

  static let folder: String = {
    let folder = "\(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")/gymmigrate-fuzz-\(getpid()).d"
    expect(mkdir(folder, 0o700) == 0, "there is no folder to fuzz with")
    put(canary, to: "\(folder)/outside")
    atexit { Scratch.remove(Scratch.folder) }
    return folder
  }()

  static func put(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    expect(descriptor >= 0, "\(path) cannot be made")
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    expect(count == bytes.count, "\(path) cannot be written")
    close(descriptor)
  }

  /// Bytes of a file, -1 where it is not there.
  static func size(of path: String) -> Int {
    var status = stat()
    return lstat(path, &status) == 0 ? Int(status.st_size) : -1
  }

  /// Removes a folder with all that is in it; links are not followed.
  static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      unlink(path)
      return
    }
    guard let folder = opendir(path) else { return }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    closedir(folder)
    for name in names { remove("\(path)/\(name)") }
    rmdir(path)
  }
}

/// The parts of an input, which zero bytes are between.
func parts(_ input: [UInt8], _ count: Int) -> [[UInt8]] {
  var parts = input.split(separator: 0, maxSplits: count - 1, omittingEmptySubsequences: false).map(
    Array.init
  )
  while parts.count < count { parts.append([]) }
  return parts
}
