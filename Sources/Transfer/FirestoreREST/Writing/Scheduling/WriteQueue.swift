/// The writes that wait to be sent, and the documents that have a write in flight.
///
/// A chunk never has two writes to the same document, and writes to a document keep their order.
struct WriteQueue {
  private var waiting: [PendingWrite] = []
  private(set) var bytes = 0
  /// Documents with a write in a chunk, or settled but not yet done.
  private var busy: Set<DocumentPath> = []

  var count: Int { waiting.count }

  mutating func append(_ write: PendingWrite) {
    waiting.append(write)
    bytes += write.bytes
  }

  /// Puts a write before all others.
  mutating func prepend(_ write: PendingWrite) {
    waiting.insert(write, at: 0)
    bytes += write.bytes
  }

  mutating func removeAll() {
    waiting.removeAll()
    bytes = 0
  }

  /// Allows the next writes to the documents of some writes to be taken.
  mutating func release(_ writes: some Sequence<PendingWrite>) {
    for write in writes { busy.remove(write.write.path) }
  }

  /// The bytes of the write that would be taken first; 0 if none may be taken.
  var bytesOfFirst: Int { waiting.first { !busy.contains($0.write.path) }?.bytes ?? 0 }

  /// Takes writes to documents that have none in flight, in order.
  ///
  /// - Parameter orOne: Whether to take one write regardless of its size.
  mutating func take(atMost room: Int, bytes maximum: Int, orOne: Bool = true) -> [PendingWrite] {
    var taken: [PendingWrite] = []
    var size = 0
    var kept: [PendingWrite] = []
    var index = 0
    while index < waiting.count, taken.count < room {
      let write = waiting[index]
      if busy.contains(write.write.path) {
        kept.append(write)
      } else if size + write.bytes > maximum, !taken.isEmpty || !orOne {
        break
      } else {
        taken.append(write)
        size += write.bytes
        busy.insert(write.write.path)
      }
      index += 1
    }
    if taken.isEmpty { return [] }
    waiting.replaceSubrange(0..<index, with: kept)
    bytes -= size
    return taken
  }
}
