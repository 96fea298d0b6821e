/// A hash of a part of a value.
typealias ValueTrace = KeyedHash

extension ValueTrace {
  enum Kind: UInt8 { case words, digits, bytes }

  init(_ kind: Kind, _ bytes: ArraySlice<UInt8>) {
    self.init { hasher in
      hasher.combine(kind.rawValue)
      bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
  }

  /// Returns what to search for in bytes that are not text; nil if there are too few.
  static func bytes(_ bytes: [UInt8]) -> ValueTrace? {
    bytes.count < TextWords.shortest ? nil : ValueTrace(.bytes, bytes[...])
  }
}

/// A Bloom filter, which shows whether a trace may have been added; it takes 8 MiB for any number of traces.
struct TraceFilter: Sendable {
  private static let words = 1 << 20
  private var bits = [UInt64](repeating: 0, count: TraceFilter.words)

  mutating func insert(_ trace: ValueTrace) {
    for bit in Self.bits(of: trace) { bits[bit >> 6] |= 1 << UInt64(bit & 63) }
  }

  func mayContain(_ trace: ValueTrace) -> Bool {
    Self.bits(of: trace).allSatisfy { bits[$0 >> 6] & 1 << UInt64($0 & 63) != 0 }
  }

  private static func bits(of trace: ValueTrace) -> some Sequence<Int> {
    (0..<4 as Range<UInt64>).lazy.map { round in
      Int(truncatingIfNeeded: (trace.first &+ round &* trace.second) % UInt64(words << 6))
    }
  }
}
