/// Checks for local files.
package enum FileCheck {
  package static func exists(_ path: String) -> Bool { SystemCall.status(path).status != nil }

  /// Whether a name exists, even as a dangling symbolic link.
  package static func isTaken(_ path: String) -> Bool { SystemCall.linkStatus(path).status != nil }

  /// Whether a path is that of a folder, by its trailing slash or by what exists.
  package static func isFolder(_ path: String) -> Bool {
    path.hasSuffix("/") || SystemCall.status(path).status?.isFolder ?? false
  }
}
