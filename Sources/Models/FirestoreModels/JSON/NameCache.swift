/// Caches field names, which recur in every document, so that a cached name is neither validated nor allocated again.
package struct NameCache {
  /// A name with its first and last bytes, which identify names of up to 16 bytes.
  private struct Slot {
    var count = 0
    var head: UInt64 = 0
    var tail: UInt64 = 0
    var string = ""
  }

  /// Allocated for the first name, because many decoders decode a single value.
  private var slots: [Slot] = []

  package init() {}

  package mutating func string(_ utf8: UnsafeBufferPointer<UInt8>) -> String {
    let count = utf8.count
    guard count >= 4, let base = utf8.baseAddress else { return String(decoding: utf8, as: UTF8.self) }
    let bytes = UnsafeRawPointer(base)
    let head: UInt64
    let tail: UInt64
    if count >= 8 {
      head = bytes.loadUnaligned(as: UInt64.self)
      tail = bytes.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    } else {
      head = UInt64(bytes.loadUnaligned(as: UInt32.self))
      tail = UInt64(bytes.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    }
    let hash = (head ^ tail &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(count)) &* 0x9E37_79B9_7F4A_7C15
    let index = Int(truncatingIfNeeded: hash >> 56)
    if slots.isEmpty { slots = [Slot](repeating: Slot(), count: 256) }
    let slot = slots[index]
    if slot.count == count, slot.head == head, slot.tail == tail,
      count <= 16 || slot.string.withBytes({ utf8.isIdentical(to: $0) })
    {
      return slot.string
    }
    let string = String(decoding: utf8, as: UTF8.self)
    slots[index] = Slot(count: count, head: head, tail: tail, string: string)
    return string
  }
}
