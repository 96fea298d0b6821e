/// Which documents one of several processes imports, each of which reads all files.
///
/// A checksum of the path decides, so that a document that occurs more than once is imported by one process, in the order of the files, and the
/// result is that of one process. A row without a document goes by its number.
package struct ImportShare: Sendable, Equatable {
  package var index: Int
  package var count: Int

  package init(index: Int, count: Int) {
    self.index = index
    self.count = max(1, count)
  }

  /// Whether a row of a file belongs to the share.
  func contains(_ row: DocumentRow, of stage: Int) -> Bool {
    guard let path = row.path ?? row.refused?.path else {
      return Self.checksum("\(stage)/\(row.number)") % UInt64(count) == UInt64(index)
    }
    return contains(path)
  }

  /// Whether a document belongs to the share.
  package func contains(_ path: DocumentPath) -> Bool {
    Self.checksum(path.string) % UInt64(count) == UInt64(index)
  }

  /// The 64-bit checksum FNV-1a, with its upper half mixed into the lower.
  private static func checksum(_ text: String) -> UInt64 {
    let hash = FNV.hash(text.utf8)
    return hash ^ (hash >> 32)
  }
}
