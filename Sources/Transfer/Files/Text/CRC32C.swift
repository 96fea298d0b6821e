import CLinux

/// An incremental CRC-32C (Castagnoli, RFC 3720, appendix B.4).
///
/// It is the checksum of each object in Cloud Storage, and of each fragment of a log in LevelDB. If the processor has an
/// instruction for it, that is used; otherwise eight tables process eight bytes at a time.
package struct CRC32C: Sendable, Equatable {
  /// The reflected polynomial.
  private static let polynomial: UInt32 = 0x82F6_3B78

  /// The remainders of each byte at each of eight positions: `tables[256 * position + byte]`.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var remainder = UInt32(byte)
      for _ in 0..<8 { remainder = (remainder >> 1) ^ (remainder & 1 == 1 ? polynomial : 0) }
      tables[byte] = remainder
    }
    for index in 256..<(8 * 256) {
      let before = tables[index - 256]
      tables[index] = (before >> 8) ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()

  private var state: UInt32 = 0xFFFF_FFFF

  package init() {}

  /// The checksum of the bytes so far.
  package var value: UInt32 { ~state }

  /// The checksum as in Cloud Storage: its four bytes, highest first, in Base64.
  package var base64: String {
    Base64.standard([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) })
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    #if os(Linux)
      if Self.isBuiltIn {
        guard let start = bytes.baseAddress else { return }
        state = gm_crc32c(state, start.assumingMemoryBound(to: UInt8.self), bytes.count)
        return
      }
    #endif
    updateByTables(bytes)
  }

  #if os(Linux)
    private static let isBuiltIn = gm_has_crc32c() != 0
  #endif

  /// Does the same as ``update(_:)`` without using the processor's instruction.
  package mutating func updateByTables(_ bytes: UnsafeRawBufferPointer) {
    state = Self.tables.withUnsafeBufferPointer { tables in
      var crc = state
      var index = 0
      while index + 8 <= bytes.count {
        let word =
          UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ UInt64(crc)
        let low: UInt32 = tables[0x700 + Int(word & 0xFF)] ^ tables[0x600 + Int((word >> 8) & 0xFF)]
        let lower: UInt32 =
          tables[0x500 + Int((word >> 16) & 0xFF)] ^ tables[0x400 + Int((word >> 24) & 0xFF)]
        let high: UInt32 = tables[0x300 + Int((word >> 32) & 0xFF)] ^ tables[0x200 + Int((word >> 40) & 0xFF)]
        let higher: UInt32 = tables[0x100 + Int((word >> 48) & 0xFF)] ^ tables[Int(word >> 56)]
        crc = low ^ lower ^ high ^ higher
        index += 8
      }
      while index < bytes.count {
        crc = (crc >> 8) ^ tables[Int((crc ^ UInt32(bytes[index])) & 0xFF)]
        index += 1
      }
      return crc
    }
  }

  package static func checksum(of bytes: [UInt8]) -> CRC32C {
    var crc = CRC32C()
    bytes.withUnsafeBytes { crc.update($0) }
    return crc
  }
}
