import Files
import Platform

/// The shared strings of a workbook, on disk with a page cache.
///
/// A few MiB of memory suffice for any number of strings. Each text is stored as its length (4 bytes) and its bytes; the
/// offset of every ``stride``-th text is in memory.
struct SharedStrings: ~Copyable {
  private static let stride = 32
  private static let pageSize = 32 << 10
  private static let slots = 256

  private var spool: SpoolFile
  private var places: [Int] = []
  /// The number of texts.
  private(set) var count = 0
  private let pages: UnsafeMutableRawBufferPointer
  private var held = [Int](repeating: -1, count: Self.slots)
  /// The text after the last one requested, and its offset.
  private var next = (index: 0, position: 0)

  init() throws(Failure) {
    spool = try SpoolFile(in: FilePaths.temporaryFolder(for: "-"))
    pages = .allocate(byteCount: Self.slots * Self.pageSize, alignment: 16)
  }

  deinit { pages.deallocate() }

  /// Reads the shared strings part of a workbook.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` or `cannotWrite`.
  static func read(_ part: String, in path: String) throws(Failure) -> SharedStrings {
    var strings = try SharedStrings()
    guard let entry = try ZIPEntry.open(part, in: path) else { return strings }
    let handler = Handler()
    var stream = try XMLStream(entry, handler)
    while try stream.advance() { try strings.append(handler.string) }
    return strings
  }

  mutating func append(_ text: [UInt8]) throws(Failure) {
    if count % Self.stride == 0 { places.append(spool.count) }
    let length = UInt32(text.count)
    try spool.append((0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * UInt32($0))) })
    try spool.append(text)
    count += 1
  }

  /// Appends a text to a buffer; returns false if there is none with that number.
  mutating func append(_ index: Int, to out: inout [UInt8]) throws(Failure) -> Bool {
    guard index >= 0, index < count else { return false }
    var (at, position) = (index / Self.stride * Self.stride, places[index / Self.stride])
    if next.index >= at, next.index <= index, next.index > 0 { (at, position) = next }
    while at < index {
      position += 4 + (try length(at: position))
      at += 1
    }
    let length = try length(at: position)
    try read(at: position + 4, count: length) { out.append(contentsOf: $0) }
    next = (index + 1, position + 4 + length)
    return true
  }

  private mutating func length(at position: Int) throws(Failure) -> Int {
    var length = 0
    var shift = 0
    try read(at: position, count: 4) { bytes in
      for byte in bytes {
        length |= Int(byte) << shift
        shift += 8
      }
    }
    return length
  }

  private mutating func read(
    at position: Int,
    count: Int,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(Failure) {
    var (position, left) = (position, count)
    while left > 0 {
      let page = position / Self.pageSize
      let slot = page % Self.slots
      let room = UnsafeMutableRawBufferPointer(
        rebasing: pages[(slot * Self.pageSize)...].prefix(Self.pageSize)
      )
      if held[slot] != page {
        held[slot] = -1
        try spool.read(at: page * Self.pageSize, into: room)
        held[slot] = page
      }
      let start = position % Self.pageSize
      let taken = min(left, Self.pageSize - start)
      body(UnsafeRawBufferPointer(rebasing: room[start..<(start + taken)]))
      position += taken
      left -= taken
    }
  }

  /// Collects `<si>` elements: the texts of their runs, without phonetic ones.
  private final class Handler: XMLHandler {
    private(set) var string: [UInt8] = []
    private var isInText = false
    private var phonetic = 0

    override func start(_ name: Name, _ attributes: XMLAttributes) {
      if name.isNamed("si") {
        string.removeAll(keepingCapacity: true)
      } else if name.isNamed("rPh") {
        phonetic += 1
      } else if name.isNamed("t"), phonetic == 0 {
        isInText = true
      }
    }

    override func end(_ name: Name) {
      if name.isNamed("t") {
        isInText = false
      } else if name.isNamed("rPh") {
        phonetic -= 1
      } else if name.isNamed("si") {
        SheetText.unescape(&string)
        pause()
      }
    }

    override func text(_ utf8: UnsafeBufferPointer<UInt8>) {
      guard isInText else { return }
      string.append(contentsOf: utf8)
      if string.count > SheetText.maximumCellBytes { refuse("a text is longer than a cell can hold") }
    }
  }
}
