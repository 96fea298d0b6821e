/// The offset of a chunked reader in the file as stored.
///
/// A chunk of decompressed data comes from fewer bytes; within it, the offset is interpolated linearly.
package struct ReadingPosition {
  private var before = 0
  private var after = 0
  private var count = 0

  package init() {}

  /// Records a chunk that ends at an offset of the file.
  package mutating func read(_ count: Int, upTo position: Int) {
    before = after
    after = position
    self.count = count
  }

  /// Returns the offset after a number of bytes of the chunk.
  package func bytes(used: Int) -> Int {
    count == 0 ? after : before + Int(Double(after - before) * (Double(used) / Double(count)))
  }
}
