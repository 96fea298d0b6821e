import Transfer

extension FileAccess {
  /// Checks that files which a person names for outputs can be written, are not read by the command, and are not the same.
  ///
  /// - Throws: As ``checkWritable(_:)``; `.usage` for one file that two options name.
  func assertWritable(_ outputs: String?...) throws(Failure) {
    let files = outputs.compactMap { $0 }.filter { !$0.isIdentical(to: "-") }
    for (index, file) in files.enumerated() {
      try checkWritable(file)
      if !FileAccess.isRemote(file) { try KeptFiles.assertUnread(file) }
      let path = FileAccess.isRemote(file) ? file : FilePaths.resolved(file)
      let isTwice = files[..<index].contains { other in
        (FileAccess.isRemote(other) ? other : FilePaths.resolved(other)).isIdentical(to: path)
      }
      if isTwice {
        throw Failure(
          .usage,
          "write",
          path: file,
          cause: "two options name it",
          remedy: "Name a file for each."
        )
      }
    }
  }
}
