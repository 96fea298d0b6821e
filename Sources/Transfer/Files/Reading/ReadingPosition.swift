/// How far into a file a reader is that takes it chunk by chunk, in bytes of the file as it is on the disk.
///
/// Of compressed data a chunk comes from fewer bytes than it has; within it they count as evenly spread.
package struct ReadingPosition {
  private var before = 0
  private var after = 0
  private var count = 0

  package init() {}

  /// A chunk was read, up to a position in the file.
  package mutating func read(_ count: Int, upTo position: Int) {
    before = after
    after = position
    self.count = count
  }

  /// The position where so many bytes of the chunk have been used.
  package func bytes(used: Int) -> Int {
    count == 0 ? after : before + Int(Double(after - before) * (Double(used) / Double(count)))
  }
}
