import CZlib

/// A gzip compressor (RFC 1952) that works chunk by chunk.
struct GzipDeflater: ~Copyable {
  private let stream: UnsafeMutablePointer<z_stream>
  private var room = [UInt8](repeating: 0, count: 64 << 10)

  /// Starts a gzip member.
  ///
  /// - Throws: ``Failure`` of kind `internal` if there is no memory.
  init() throws(Failure) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // A window of 15 bits; adding 16 selects gzip's header and trailer.
    let code = deflateInit2_(
      stream,
      6,
      Z_DEFLATED,
      15 + 16,
      8,
      Z_DEFAULT_STRATEGY,
      ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)
    )
    guard code == Z_OK else {
      stream.deallocate()
      throw Failure(.internal, "compress", cause: "zlib could not start (\(code))")
    }
  }

  deinit {
    deflateEnd(stream)
    stream.deallocate()
  }

  /// Compresses bytes into a sink; if `finishing`, completes the member.
  mutating func deflate(
    _ bytes: UnsafeRawBufferPointer,
    finishing: Bool = false,
    into sink: inout FileSink
  ) throws(Failure) {
    var at = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var left = bytes.count
    repeat {
      let portion = min(left, 1 << 30)
      stream.pointee.next_in = at.map { UnsafeMutablePointer(mutating: $0) }
      stream.pointee.avail_in = UInt32(portion)
      try run(finishing && portion == left ? Z_FINISH : Z_NO_FLUSH, into: &sink)
      at = at.map { $0 + portion }
      left -= portion
    } while left > 0
  }

  private mutating func run(_ flush: Int32, into sink: inout FileSink) throws(Failure) {
    while true {
      let size = room.count
      let (code, count) = room.withUnsafeMutableBufferPointer { [stream] room in
        stream.pointee.next_out = room.baseAddress
        stream.pointee.avail_out = UInt32(size)
        let code = CZlib.deflate(stream, flush)
        return (code, size - Int(stream.pointee.avail_out))
      }
      if code == Z_STREAM_ERROR { throw Failure(.internal, "compress", cause: "zlib lost its state") }
      try room.withUnsafeBufferPointer { room throws(Failure) in
        try sink.write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<count]))
      }
      // A buffer that was not filled means that all input was consumed.
      if count < size { return }
    }
  }
}

/// A gzip decompressor (RFC 1952) for any number of members.
struct GzipInflater: ~Copyable {
  private let stream: UnsafeMutablePointer<z_stream>
  /// Whether the input so far ends at the end of a member.
  private(set) var isComplete = true

  /// Starts before the first member.
  ///
  /// - Throws: ``Failure`` of kind `internal` if there is no memory.
  init() throws(Failure) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    let code = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else {
      stream.deallocate()
      throw Failure(.internal, "decompress", cause: "zlib could not start (\(code))")
    }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Decompresses part of the input.
  ///
  /// Zero padding after the last member is skipped, as by gzip.
  ///
  /// - Returns: The bytes consumed, the bytes produced, and what is wrong with the data, if anything.
  mutating func inflate(
    _ input: UnsafeRawBufferPointer,
    into output: UnsafeMutableRawBufferPointer
  ) -> (taken: Int, produced: Int, defect: String?) {
    var skipped = 0
    if isComplete {
      while skipped < input.count, input[skipped] == 0 { skipped += 1 }
      if skipped == input.count { return (skipped, 0, nil) }
      inflateReset(stream)
      isComplete = false
    }
    guard let source = input.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return (0, 0, nil) }
    let available = min(input.count - skipped, 1 << 30)
    let room = min(output.count, 1 << 30)
    stream.pointee.next_in = UnsafeMutablePointer(mutating: source + skipped)
    stream.pointee.avail_in = UInt32(available)
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = UInt32(room)
    let code = CZlib.inflate(stream, Z_NO_FLUSH)
    let taken = skipped + available - Int(stream.pointee.avail_in)
    let produced = room - Int(stream.pointee.avail_out)
    switch code {
    case Z_STREAM_END:
      isComplete = true
      return (taken, produced, nil)
    case Z_OK, Z_BUF_ERROR: return (taken, produced, nil)
    case Z_MEM_ERROR: return (taken, produced, "there is not enough memory to decompress it")
    default: return (taken, produced, "it is not valid gzip data")
    }
  }
}
