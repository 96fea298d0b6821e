/// Questions about files of this machine.
package enum FileCheck {
  package static func exists(_ path: String) -> Bool { SystemCall.status(path).status != nil }

  /// Whether a name exists, even as a symbolic link to nothing.
  package static func isTaken(_ path: String) -> Bool { SystemCall.linkStatus(path).status != nil }

  /// Whether a path names a folder, by its end or by what is there.
  package static func isFolder(_ path: String) -> Bool {
    path.hasSuffix("/") || SystemCall.status(path).status?.isFolder ?? false
  }
}
