import CZlib
import TestSupport
import Testing

@testable import FirestoreREST

/// What zlib packed, unpacked by libdeflate.
@Suite struct BodyInflaterTests {
  /// How zlib is to pack: in gzip's format, in its own, or without a header.
  enum Wrapping: Int32, CaseIterable {
    case gzip = 31
    case zlib = 15
    case raw = -15
  }

  private static func packed(
    _ bytes: [UInt8],
    _ wrapping: Wrapping = .gzip,
    level: Int32 = 6
  ) throws -> [UInt8] {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    let code = deflateInit2_(
      &stream,
      level,
      Z_DEFLATED,
      wrapping.rawValue,
      8,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      size
    )
    try #require(code == Z_OK)
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))) + 64)
    let produced = input.withUnsafeMutableBufferPointer { source in
      output.withUnsafeMutableBufferPointer { target in
        stream.next_in = source.baseAddress
        stream.avail_in = UInt32(source.count)
        stream.next_out = target.baseAddress
        stream.avail_out = UInt32(target.count)
        return deflate(&stream, Z_FINISH) == Z_STREAM_END ? target.count - Int(stream.avail_out) : -1
      }
    }
    try #require(produced >= 0)
    return Array(output.prefix(produced))
  }

  /// Bytes of an alphabet: of 1 letter they shrink to nothing, of 256 they do not shrink.
  private static func bytes(_ count: Int, alphabet: Int, seed: UInt64) -> [UInt8] {
    var random = SplitMix64(seed: seed)
    return (0..<count).map { _ in UInt8(random.next() % UInt64(alphabet)) }
  }

  private func kind(_ body: () throws -> [UInt8]) -> TransportError.Kind? {
    do {
      _ = try body()
      return nil
    } catch {
      return (error as? TransportError)?.kind
    }
  }

  @Test(arguments: Wrapping.allCases, [0, 1, 6, 9] as [Int32])
  func everyBodyIsWhatItWas(wrapping: Wrapping, level: Int32) throws {
    let inflater = BodyInflater()
    var seed: UInt64 = 0
    for count in [0, 1, 2, 17, 1000, 65_535, 65_536, 300_000] {
      for alphabet in [1, 2, 16, 256] {
        seed += 1
        let plain = Self.bytes(count, alphabet: alphabet, seed: seed)
        let body = try Self.packed(plain, wrapping, level: level)
        let encoding = wrapping == .gzip ? "gzip" : "deflate"
        let decoded = try inflater.decoded(body, encoding, atMost: count)
        #expect(decoded == plain, "\(count) bytes of \(alphabet)")
        // Memory that is used again holds nothing of the body before.
        inflater.reclaim(decoded)
        if count > 0 {
          #expect(kind { try inflater.decoded(body, encoding, atMost: count - 1) } == .bodyTooLarge)
        }
      }
    }
  }

  @Test func encodingsAreUndoneInReverse() throws {
    let plain = Self.bytes(5000, alphabet: 4, seed: 1)
    let once = try Self.packed(plain)
    let inflater = BodyInflater()
    #expect(try inflater.decoded(plain, "identity", atMost: 5000) == plain)
    #expect(try inflater.decoded(plain, "", atMost: 5000) == plain)
    #expect(try inflater.decoded(once, "X-GZIP", atMost: 5000) == plain)
    #expect(try inflater.decoded(Self.packed(once, .zlib), "gzip , deflate", atMost: 5000) == plain)
    #expect(try inflater.decoded([], "gzip", atMost: 5000) == [])
    #expect(kind { try inflater.decoded(once, "br", atMost: 5000) } == .lost)
    #expect(kind { try inflater.decoded(once, "gzip, zstd", atMost: 5000) } == .lost)
  }

  @Test func membersFollowEachOtherAndNothingElseDoes() throws {
    let inflater = BodyInflater()
    let (a, b) = (Self.bytes(40_000, alphabet: 3, seed: 1), Self.bytes(7, alphabet: 256, seed: 2))
    let both = try Self.packed(a) + Self.packed([]) + Self.packed(b)
    #expect(try inflater.decoded(both, "gzip", atMost: 40_007) == a + b)
    #expect(kind { try inflater.decoded(both, "gzip", atMost: 40_006) } == .bodyTooLarge)
    for rest in [[0], [0x1F], [0x1F, 0x8B], Array("more".utf8)] as [[UInt8]] {
      #expect(kind { try inflater.decoded(both + rest, "gzip", atMost: 1 << 20) } == .lost)
      #expect(
        kind { try inflater.decoded(Self.packed(a, .zlib) + rest, "deflate", atMost: 1 << 20) } == .lost
      )
    }
  }

  @Test func aTruncatedBodyIsLostWhereverItEnds() throws {
    let inflater = BodyInflater()
    let body = try Self.packed(Self.bytes(3000, alphabet: 5, seed: 3))
    for count in 1..<body.count {
      #expect(kind { try inflater.decoded(Array(body.prefix(count)), "gzip", atMost: 1 << 20) } == .lost)
    }
  }

  @Test func aWrongChecksumOrLengthIsLost() throws {
    let inflater = BodyInflater()
    let body = try Self.packed(Self.bytes(3000, alphabet: 5, seed: 4))
    for index in body.count - 8..<body.count {
      var changed = body
      changed[index] ^= 1
      #expect(kind { try inflater.decoded(changed, "gzip", atMost: 1 << 20) } == .lost, "byte \(index)")
    }
    // Afterwards the same decompressor works.
    #expect(try inflater.decoded(body, "gzip", atMost: 3000).count == 3000)
  }

  @Test func aBombIsRefusedBeforeItIsWhole() throws {
    let inflater = BodyInflater()
    let bomb = try Self.packed([UInt8](repeating: 0, count: 32 << 20), level: 9)
    #expect(bomb.count < 40_000)
    #expect(kind { try inflater.decoded(bomb, "gzip", atMost: 1 << 20) } == .bodyTooLarge)
    // It says that it is small, or larger than any such body can be.
    let small = try Self.packed([1, 2, 3])
    for size in [[1, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]] {
      let liar = Array(bomb.dropLast(4)) + size
      #expect(kind { try inflater.decoded(liar, "gzip", atMost: 1 << 20) } == .bodyTooLarge)
      let other = Array(small.dropLast(4)) + size
      #expect(kind { try inflater.decoded(other, "gzip", atMost: 1 << 20) } == .lost)
    }
    let nested = try Self.packed(bomb)
    #expect(kind { try inflater.decoded(nested, "gzip, gzip", atMost: 1 << 20) } == .bodyTooLarge)
  }
}
