/// Selects the documents that one of several processes imports, each of which reads all files.
///
/// A checksum of the path decides, so that a document that occurs more than once is imported by a single process, in the
/// order of the files, with the same result as one process would have. Rows without a document are assigned by their
/// number.
package struct ImportShare: Sendable, Equatable {
  package var index: Int
  package var count: Int

  package init(index: Int, count: Int) {
    self.index = index
    self.count = max(1, count)
  }

  /// Whether a row of a file belongs to this share.
  func contains(_ row: DocumentRow, of stage: Int) -> Bool {
    guard let path = row.path ?? row.refused?.path else {
      return Self.checksum("\(stage)/\(row.number)") % UInt64(count) == UInt64(index)
    }
    return contains(path)
  }

  /// Whether a document belongs to this share.
  package func contains(_ path: DocumentPath) -> Bool {
    Self.checksum(path.string) % UInt64(count) == UInt64(index)
  }

  /// The 64-bit checksum FNV-1a, with its upper half mixed into the lower.
  private static func checksum(_ text: String) -> UInt64 {
    let hash = FNV.hash(text.utf8)
    return hash ^ (hash >> 32)
  }
}
