/// A small seeded generator (SplitMix64): the same seed gives the same sequence on every machine.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts the sequence that belongs to `seed`.
  package init(seed: UInt64) {
    state = seed
  }

  /// The next 64 bits.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  /// True once in `count` draws.
  package mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }

  /// One of the choices, of which there must be some.
  package mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }

  /// True in `percent` of 100 draws.
  package mutating func chance(percent: Double) -> Bool {
    Double(next() >> 11) / Double(UInt64(1) << 53) * 100 < percent
  }
}

/// A 64-bit FNV-1a hash, stable between runs (unlike `Hasher`).
func stableHash(_ parts: [UInt8]...) -> UInt64 {
  var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  for part in parts {
    part.withUnsafeBufferPointer { bytes in
      for byte in bytes {
        hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      }
    }
    hash = (hash ^ 0xFF) &* 0x100_0000_01B3
  }
  return hash
}
