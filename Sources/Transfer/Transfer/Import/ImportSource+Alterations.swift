import Files
import Tables

extension ImportSource {
  /// Returns how its file differs from what its export wrote, as a sentence with the file; nil if it does not, or if nothing is
  /// known of that.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing`.
  func alteration(via files: FileAccess) throws(Failure) -> String? {
    if let managed { return try managed.difference(via: files).map { "\(label): \($0)" } }
    guard try isAltered(via: files) else { return nil }
    return
      "\(path): it is not as the export wrote it (its SHA-256 differs from the manifest's), and is read as any other file."
  }

  /// Whether its file has another digest than the manifest of its folder says.
  func isAltered(via files: FileAccess) throws(Failure) -> Bool {
    guard isFromFolder, managed == nil,
      let entry = listsDeletions ? manifest?.deleted : manifest?.file(named: FilePaths.name(of: path)),
      try files.exists(path)
    else { return false }
    return try entry.isAltered(at: path, via: files)
  }

  /// Refuses a list of deleted documents that is not as its export wrote it.
  ///
  /// - Throws: `.inputMalformed`.
  func assertListUnaltered(via files: FileAccess) throws(Failure) {
    guard listsDeletions, try isAltered(via: files) else { return }
    throw .malformed(
      path,
      "it is not as the export wrote it (its SHA-256 differs from the manifest's), so deleted documents would come back",
      remedy: "Take another copy of the export."
    )
  }
}
