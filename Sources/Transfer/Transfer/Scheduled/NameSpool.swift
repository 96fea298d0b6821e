import Files
import FirestoreREST

/// Sorted names, in the service's order, in a temporary file.
final class NameSpool: KnownNames {
  /// The number of names between those whose offsets are kept; it divides the widths of counted ranges, so that bounds are
  /// found directly.
  private static let interval = 250

  private(set) var count = 0
  private var spool: SpoolFile
  private var offsets: [Int] = []
  /// The position and offset of the name after the one that was looked up last.
  private var next = (position: 0, offset: 0)

  /// - Throws: `.cannotWrite`.
  init() throws(Failure) { spool = try SpoolFile(in: FilePaths.temporaryFolder(for: "-")) }

  /// Appends a name that comes after all others.
  ///
  /// - Throws: `.cannotWrite`.
  func append(_ name: DocumentPath) throws(Failure) {
    if count.isMultiple(of: Self.interval) { offsets.append(spool.count) }
    count += 1
    let bytes = Array(name.string.utf8)
    try spool.append(withUnsafeBytes(of: UInt32(truncatingIfNeeded: bytes.count)) { Array($0) } + bytes)
  }

  /// - Throws: `.cannotWrite` if the file cannot be read.
  func name(at position: Int) throws(Failure) -> DocumentPath {
    if position < next.position || position / Self.interval > next.position / Self.interval {
      next = (position - position % Self.interval, offsets[position / Self.interval])
    }
    while true {
      let length = try spool.bytes(4, at: next.offset).withUnsafeBytes { Int($0.load(as: UInt32.self)) }
      let (found, offset) = next
      next = (found + 1, offset + 4 + length)
      if found < position { continue }
      let bytes = try spool.bytes(length, at: offset + 4)
      guard let path = DocumentPath(String(decoding: bytes, as: UTF8.self)) else {
        throw Failure(.internal, "compare names", cause: "one is no path")
      }
      return path
    }
  }
}
