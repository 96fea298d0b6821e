/// A record of three numbers, ordered by the first, the second and the third.
package struct NumberRecord: BitwiseCopyable, Sendable, SortRecord {
  package let first: UInt64
  package let second: UInt64
  package let third: UInt64

  package init(_ first: UInt64, _ second: UInt64, _ third: UInt64) {
    (self.first, self.second, self.third) = (first, second, third)
  }

  package static func < (a: NumberRecord, b: NumberRecord) -> Bool {
    if a.first != b.first { return a.first < b.first }
    return a.second == b.second ? a.third < b.third : a.second < b.second
  }

  package var size: Int { MemoryLayout<Self>.size }

  package func write(to bytes: inout [UInt8]) {
    withUnsafeBytes(of: self) { bytes.append(contentsOf: $0) }
  }

  package static func take(from bytes: inout ArraySlice<UInt8>) -> NumberRecord? {
    let size = MemoryLayout<Self>.size
    guard bytes.count >= size else { return nil }
    defer { bytes = bytes.dropFirst(size) }
    return bytes.withUnsafeBytes { $0.loadUnaligned(as: Self.self) }
  }
}
