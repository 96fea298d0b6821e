/// Writes a message of Protocol Buffers field by field, including groups.
struct ProtoWriter {
  private(set) var bytes: [UInt8] = []

  mutating func number(_ field: Int, _ number: UInt64) {
    varint(UInt64(field) << 3)
    varint(number)
  }

  mutating func double(_ field: Int, _ number: Double) {
    varint(UInt64(field) << 3 | 1)
    withUnsafeBytes(of: number.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func bytes(_ field: Int, _ content: some Collection<UInt8>) {
    varint(UInt64(field) << 3 | 2)
    varint(UInt64(content.count))
    bytes.append(contentsOf: content)
  }

  mutating func message<Fault>(
    _ field: Int,
    _ body: (inout ProtoWriter) throws(Fault) -> Void
  ) throws(Fault) {
    var message = ProtoWriter()
    try body(&message)
    bytes(field, message.bytes)
  }

  mutating func group<Fault>(
    _ field: Int,
    _ body: (inout ProtoWriter) throws(Fault) -> Void
  ) throws(Fault) {
    varint(UInt64(field) << 3 | 3)
    try body(&self)
    varint(UInt64(field) << 3 | 4)
  }

  private mutating func varint(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
