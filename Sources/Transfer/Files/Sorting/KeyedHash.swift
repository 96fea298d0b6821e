/// A 128-bit hash (SipHash) under a key that is drawn for each process, so that hashes on disk reveal nothing.
///
/// Among a thousand million values, the probability that any two collide is below 2^-68; among a million, below 2^-88.
package struct KeyedHash: BitwiseCopyable, Hashable, Sendable {
  package let first: UInt64
  package let second: UInt64

  /// - Parameter feed: Passes the value to a hasher; called for each half of the hash.
  package init(_ feed: (inout Hasher) -> Void) {
    func half(_ number: UInt8) -> UInt64 {
      var hasher = Hasher()
      hasher.combine(number)
      feed(&hasher)
      return UInt64(bitPattern: Int64(hasher.finalize()))
    }
    (first, second) = (half(0), half(1))
  }

  package init(_ path: DocumentPath) { self.init { path.hash(into: &$0) } }
}

extension NumberRecord {
  /// Creates the record of a hash with a number.
  package init(_ hash: KeyedHash, _ number: UInt64) { self.init(hash.first, hash.second, number) }

  /// Whether both records are of the same hash.
  package func hasHash(of other: NumberRecord) -> Bool { first == other.first && second == other.second }
}
