extension FileAccess {
  /// Checks that the named output files can be written, are not read by the command, and are all different.
  ///
  /// - Throws: As ``checkWritable(_:)``; `.usage` for one file that two options name.
  func assertWritable(_ outputs: String?...) throws(Failure) {
    var places: [String] = []
    for file in outputs.compactMap({ $0 }) where !file.isIdentical(to: "-") {
      try checkWritable(file)
      try KeptFiles.assertUnread(file)
      let place = Self.place(of: file)
      if places.contains(where: { $0.isIdentical(to: place) }) {
        throw Failure(
          .usage,
          "write",
          path: file,
          cause: "two options name it",
          remedy: "Name a file for each."
        )
      }
      places.append(place)
    }
  }

  /// Returns the actual place of a file that exists or will be created, resolving links.
  private static func place(of file: String) -> String {
    if isRemote(file) { return file }
    let folder = FilePaths.resolved(FilePaths.folder(of: file))
    return FilePaths.resolved("\(folder)/\(FilePaths.name(of: file))")
  }
}
