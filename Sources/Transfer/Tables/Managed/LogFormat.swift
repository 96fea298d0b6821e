import Files

/// LevelDB's log format (google/leveldb, doc/log_format.md), in which Google's exports store their records.
///
/// A file consists of blocks of 32 KiB, and a block of fragments, each with a checksum, a length and its position in a
/// record.
enum LogFormat {
  static let blockSize = 32 << 10
  static let headerSize = 7

  /// The position of a fragment in its record.
  enum Kind: UInt8 {
    case whole = 1
    case first, middle, last
  }

  /// Returns the checksum of a fragment: CRC-32C of its kind and data, masked, because data may contain checksums
  /// themselves.
  static func checksum(of kindAndData: UnsafeRawBufferPointer) -> UInt32 {
    var crc = CRC32C()
    crc.update(kindAndData)
    return (crc.value >> 15 | crc.value << 17) &+ 0xA282_EAD8
  }

  /// Whether a file that begins with the given bytes is a log: the checksum of its first fragment matches.
  static func isLog(_ head: [UInt8]) -> Bool {
    guard head.count > headerSize, let kind = Kind(rawValue: head[6]), kind == .whole || kind == .first else {
      return false
    }
    let end = headerSize + Int(head[4]) + Int(head[5]) << 8
    return end <= head.count
      && head.withUnsafeBytes {
        checksum(of: .init(rebasing: $0[6..<end])) == $0.loadUnaligned(as: UInt32.self)
      }
  }
}

/// Reads the records of a log and checks their checksums; damage is reported with its block.
///
/// It holds a block and the longest record in memory.
///
///     var log = try LogReader("output-0")
///     while try log.advance() { log.withRecord { print($0.count) } }
struct LogReader: ~Copyable {
  /// Documents of the service need only a fraction of it, unless an array with a long name has a huge number of elements.
  private static let maximumRecordBytes = 16 << 20

  /// The number of records so far.
  private(set) var number = 0
  /// The block of the last fragment read, from 1.
  private(set) var blockNumber = 0

  private var file: InputFile
  private let block: UnsafeMutableRawBufferPointer
  private var filled = 0
  private var offset = 0
  /// The record if it is a single fragment; otherwise it is in ``gathered``.
  private var whole: Range<Int>?
  private var gathered: [UInt8] = []

  init(_ path: String, via files: FileAccess = .local) throws(Failure) {
    file = try InputFile(path, decompresses: false, via: files)
    block = .allocate(byteCount: LogFormat.blockSize, alignment: 16)
  }

  deinit { block.deallocate() }

  var path: String { file.path }

  /// The offset of the end of the record.
  var position: Int { max(0, blockNumber - 1) * LogFormat.blockSize + offset }

  /// Reads the next record; returns false at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` for damage, including a file that ends within a record.
  mutating func advance() throws(Failure) -> Bool {
    whole = nil
    gathered.removeAll(keepingCapacity: gathered.count < 1 << 20)
    var isInside = false
    while let (kind, data) = try fragment() {
      switch (kind, isInside) {
      case (.whole, false): whole = data
      case (.first, false), (.middle, true), (.last, true): try gather(data)
      default: throw damaged("a fragment is out of its place in a record")
      }
      isInside = kind == .first || kind == .middle
      if isInside { continue }
      number += 1
      return true
    }
    if isInside { throw damaged("the file ends within a record") }
    return false
  }

  /// Calls `body` with the record.
  func withRecord<Result, Fault>(
    _ body: (UnsafeRawBufferPointer) throws(Fault) -> Result
  ) throws(Fault) -> Result {
    if let whole { return try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(block)[whole])) }
    return try gathered.span.withUnsafeBytes(body)
  }

  private mutating func gather(_ data: Range<Int>) throws(Failure) {
    if gathered.count + data.count > Self.maximumRecordBytes {
      throw damaged("a record has more than \(Self.maximumRecordBytes) bytes")
    }
    gathered.append(contentsOf: UnsafeRawBufferPointer(block)[data])
  }

  // MARK: Fragments

  /// Reads a fragment and returns the range of its data in the block; nil at the end.
  private mutating func fragment() throws(Failure) -> (LogFormat.Kind, Range<Int>)? {
    while true {
      guard filled - offset >= LogFormat.headerSize else {
        try skipPadding()
        if try !readBlock() { return nil }
        continue
      }
      let checksum = UInt32(littleEndian: block.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      let count = Int(UInt16(littleEndian: block.loadUnaligned(fromByteOffset: offset + 4, as: UInt16.self)))
      if block[offset + 6] == 0, count == 0 {
        try skipPadding()
        continue
      }
      guard let kind = LogFormat.Kind(rawValue: block[offset + 6]) else {
        throw damaged("a fragment of kind \(block[offset + 6])")
      }
      let data = (offset + LogFormat.headerSize)..<(offset + LogFormat.headerSize + count)
      guard data.upperBound <= filled else {
        throw damaged(
          filled == block.count ? "a fragment reaches beyond it" : "the file ends within a fragment"
        )
      }
      let checked = UnsafeRawBufferPointer(block)[(offset + 6)..<data.upperBound]
      guard LogFormat.checksum(of: UnsafeRawBufferPointer(rebasing: checked)) == checksum else {
        throw damaged("a fragment has not its checksum")
      }
      offset = data.upperBound
      return (kind, data)
    }
  }

  /// Skips the rest of the block, which consists of zeros.
  private mutating func skipPadding() throws(Failure) {
    guard UnsafeRawBufferPointer(block)[offset..<filled].allSatisfy({ $0 == 0 }) else {
      throw damaged("there is something where its end is filled with zeros")
    }
    offset = filled
  }

  private mutating func readBlock() throws(Failure) -> Bool {
    (filled, offset) = (0, 0)
    while filled < block.count {
      let count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: block[filled...]))
      if count == 0 { break }
      filled += count
    }
    if filled > 0 { blockNumber += 1 }
    return filled > 0
  }

  private func damaged(_ cause: String) -> Failure {
    .malformed(
      path,
      "block \(blockNumber), byte \(position): \(cause)",
      remedy: "It is damaged or cut off: get the export again."
    )
  }
}

/// Writes records as a log.
///
///     var log = try LogWriter("output-0", via: files)
///     try log.append(record)
///     let receipt = try log.finish()
struct LogWriter: ~Copyable {
  private var file: OutputFile
  private var offset = 0
  private var buffer: [UInt8] = []

  init(_ path: String, via files: FileAccess) throws(Failure) {
    file = try OutputFile(path, gzip: false, via: files)
  }

  /// Appends a record.
  mutating func append(_ record: [UInt8]) throws(Failure) {
    var rest = record[...]
    var isFirst = true
    buffer.removeAll(keepingCapacity: true)
    repeat {
      var room = LogFormat.blockSize - offset
      if room < LogFormat.headerSize {
        buffer.append(contentsOf: repeatElement(0, count: room))
        (offset, room) = (0, LogFormat.blockSize)
      }
      let data = rest.prefix(room - LogFormat.headerSize)
      rest = rest.dropFirst(data.count)
      append(data, rest.isEmpty ? (isFirst ? .whole : .last) : (isFirst ? .first : .middle))
      isFirst = false
    } while !rest.isEmpty
    try file.write(buffer)
  }

  private mutating func append(_ data: ArraySlice<UInt8>, _ kind: LogFormat.Kind) {
    let start = buffer.count
    buffer.append(contentsOf: [0, 0, 0, 0, UInt8(data.count & 255), UInt8(data.count >> 8), kind.rawValue])
    buffer.append(contentsOf: data)
    buffer.withUnsafeMutableBytes { bytes in
      let checksum = LogFormat.checksum(of: UnsafeRawBufferPointer(rebasing: bytes[(start + 6)...]))
      bytes.storeBytes(of: checksum.littleEndian, toByteOffset: start, as: UInt32.self)
    }
    offset += LogFormat.headerSize + data.count
  }

  /// Completes the file.
  consuming func finish() throws(Failure) -> OutputFile.Receipt { try file.finish() }
}
