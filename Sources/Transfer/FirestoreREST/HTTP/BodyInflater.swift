import CDeflate
import Synchronization

/// Decompresses whole response bodies into recycled memory.
///
/// libdeflate processes a body at once, in half the time of zlib, which libcurl uses piece by piece.
final class BodyInflater: Sendable {
  /// The number of extra bytes after a body in its memory, so that it can be parsed in place.
  static let padding = 64

  private static let idleBodies = 4
  private static let largestIdleBody = 512 << 10

  private struct Idle: ~Copyable {
    var decompressors: [Decompressor] = []
    var bodies: [[UInt8]] = []
  }

  private let idle = Mutex(Idle())

  /// Returns a body without its encodings, which the header `Content-Encoding` lists in the order in which they were
  /// applied.
  ///
  /// - Throws: `.bodyTooLarge` if it would be larger than `maximum`, `.lost` if it cannot be decompressed.
  func decoded(_ body: [UInt8], _ encodings: String, atMost maximum: Int) throws(TransportError) -> [UInt8] {
    var body = body
    for encoding in encodings.split(separator: ",").reversed() {
      let name = encoding.drop(while: \.isWhitespace).lowercased()
      guard let format = Format(String(name.prefix(while: { !$0.isWhitespace }))) else {
        throw TransportError(.lost, "the response has an unknown encoding")
      }
      if format == .identity || body.isEmpty { continue }
      body = try inflated(body, format, atMost: maximum)
    }
    return body
  }

  /// Recycles the memory of a body.
  func reclaim(_ body: consuming [UInt8]) {
    var memory = body
    guard memory.capacity <= Self.largestIdleBody else { return }
    memory.removeAll(keepingCapacity: true)
    idle.withLock { idle in
      if idle.bodies.count < Self.idleBodies { idle.bodies.append(memory) }
    }
  }

  private enum Format {
    case identity, gzip, deflate

    init?(_ name: String) {
      switch name {
      case "", "identity", "none": self = .identity
      case "gzip", "x-gzip": self = .gzip
      case "deflate": self = .deflate
      default: return nil
      }
    }
  }

  private func inflated(
    _ body: [UInt8],
    _ format: Format,
    atMost maximum: Int
  ) throws(TransportError) -> [UInt8] {
    let (decompressor, memory) = idle.withLock { ($0.decompressors.popLast(), $0.bodies.popLast()) }
    let inflater = decompressor ?? Decompressor()
    var out = memory ?? []
    defer {
      idle.withLock { idle in
        if idle.decompressors.count < Self.idleBodies { idle.decompressors.append(inflater) }
      }
    }
    let inflate = format == .gzip ? Decompressor.gzip : inflater.deflate(body)
    var taken = 0
    repeat {
      taken += try inflater.member(
        of: body,
        from: taken,
        inflate,
        hint: Self.expected(body, format),
        into: &out,
        atMost: maximum
      )
      // A gzip file may consist of several members.
    } while format == .gzip && taken < body.count
    guard taken == body.count else { throw .damaged }
    return out
  }

  /// The size that a gzip member claims, as far as its compressed size allows: deflate compresses 1032 bytes to 1 at most.
  private static func expected(_ body: [UInt8], _ format: Format) -> Int {
    let guess = 4 * body.count
    guard format == .gzip, body.count >= 18 else { return guess }
    let size = body.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    return min(size, 1032 * body.count)
  }
}

extension TransportError {
  /// The failure of a body that does not match its encoding.
  fileprivate static let damaged = TransportError(.lost, "the compressed response is damaged")

  /// The failure of a body that exceeds the limit of its request.
  static func larger(than maximum: Int) -> TransportError {
    TransportError(.bodyTooLarge, "the response is larger than \(maximum) bytes")
  }
}

/// A decompressor of libdeflate, for one task at a time.
private final class Decompressor: @unchecked Sendable {
  // The pool gives it to one task at a time.
  typealias Inflate =
    @convention(c) (
      OpaquePointer?, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, Int, UnsafeMutablePointer<Int>?,
      UnsafeMutablePointer<Int>?
    ) -> libdeflate_result

  static var gzip: Inflate { libdeflate_gzip_decompress_ex }

  private let pointer: OpaquePointer

  init() {
    guard let pointer = libdeflate_alloc_decompressor() else {
      preconditionFailure("no memory for a decompressor")
    }
    self.pointer = pointer
  }

  deinit { libdeflate_free_decompressor(pointer) }

  /// HTTP's `deflate` is zlib's format, but some servers omit its header, as they did for early browsers.
  func deflate(_ body: [UInt8]) -> Inflate {
    let header = body.count < 2 ? 0 : Int(body[0]) << 8 | Int(body[1])
    return header & 0x0F00 == 0x0800 && header % 31 == 0
      ? libdeflate_zlib_decompress_ex : libdeflate_deflate_decompress_ex
  }

  /// Appends the contents of a member.
  ///
  /// - Parameter hint: The expected size.
  /// - Returns: The number of compressed bytes.
  func member(
    of body: [UInt8],
    from start: Int,
    _ inflate: Inflate,
    hint: Int,
    into out: inout [UInt8],
    atMost maximum: Int
  ) throws(TransportError) -> Int {
    let left = maximum - out.count
    var room = min(left, max(hint, 1024))
    while true {
      var taken = 0
      var result = LIBDEFLATE_BAD_DATA
      out.append(addingCapacity: room + BodyInflater.padding) { out in
        out.withUnsafeMutableBufferPointer { buffer, count in
          var produced = 0
          body.withUnsafeBytes { body in
            let input = UnsafeRawBufferPointer(rebasing: body[start...])
            let target = buffer.baseAddress.map { $0 + count }
            result = inflate(pointer, input.baseAddress, input.count, target, room, &taken, &produced)
          }
          if result == LIBDEFLATE_SUCCESS { count += produced }
        }
      }
      switch result {
      case LIBDEFLATE_SUCCESS: return taken
      case LIBDEFLATE_INSUFFICIENT_SPACE where room < left: room = min(left, 2 * room)
      case LIBDEFLATE_INSUFFICIENT_SPACE: throw .larger(than: maximum)
      default: throw .damaged
      }
    }
  }
}
