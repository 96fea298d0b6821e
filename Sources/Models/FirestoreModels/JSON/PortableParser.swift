/// A JSON parser in Swift for platforms without simdjson, which owns the memory of its last text.
final class PortableParser: TapeParser {
  private let maximumBytes: Int
  private let maximumDepth: Int
  private var tape = UnsafeMutableBufferPointer<UInt64>(start: nil, count: 0)
  private var strings = UnsafeMutableBufferPointer<UInt8>(start: nil, count: 0)

  init(maximumBytes: Int, maximumDepth: Int) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
  }

  deinit {
    tape.deallocate()
    strings.deallocate()
  }

  func parse(
    _ json: UnsafeRawBufferPointer,
    room: Int,
    keepsNumbers: Bool
  ) throws(WireError) -> JSONCursor {
    guard json.count <= maximumBytes else { throw .tooLarge(json) }
    guard String(validating: json, as: UTF8.self) != nil else { throw .notUTF8 }
    var writer = TapeWriter(json, maximumDepth: maximumDepth, keepsNumbers: keepsNumbers)
    try writer.write()
    Self.replace(&tape, with: writer.tape)
    Self.replace(&strings, with: writer.strings)
    guard let tape = tape.baseAddress, let strings = strings.baseAddress else { throw .malformed(json) }
    return JSONCursor(tape: tape, strings: strings, index: 0)
  }

  /// Copies words to memory with a stable address.
  private static func replace<Word>(_ memory: inout UnsafeMutableBufferPointer<Word>, with words: [Word]) {
    memory.deallocate()
    memory = .allocate(capacity: max(1, words.count))
    _ = memory.initialize(fromContentsOf: words)
  }
}

/// Writes the tape of one text: the words of simdjson's doc/tape.md, without the enclosing root words.
///
/// Nested containers are not parsed by recursion, so the stack does not grow with the text.
struct TapeWriter {
  private let json: UnsafeRawBufferPointer
  private let maximumDepth: Int
  private let keepsNumbers: Bool
  private var at = 0
  private(set) var tape: [UInt64] = []
  private(set) var strings: [UInt8] = []
  /// The open containers: where each begins on the tape, and its number of members or elements.
  private var containers: [(start: Int, count: Int)] = []

  init(_ json: UnsafeRawBufferPointer, maximumDepth: Int, keepsNumbers: Bool) {
    self.json = json
    self.maximumDepth = maximumDepth
    self.keepsNumbers = keepsNumbers
    strings.reserveCapacity(json.count)
  }

  mutating func write() throws(WireError) {
    repeat {
      while try !completesValue() {}
      while try closesContainer() {}
    } while !containers.isEmpty
    guard peek() == nil, at == json.count else { throw .malformed(json) }
  }

  // MARK: Structure

  /// Reads a scalar or an empty container; or enters a container that is not empty, and returns false.
  private mutating func completesValue() throws(WireError) -> Bool {
    switch peek() {
    case UInt8(ascii: "{")?: return try !enters(endingWith: UInt8(ascii: "}"))
    case UInt8(ascii: "[")?: return try !enters(endingWith: UInt8(ascii: "]"))
    case UInt8(ascii: "\"")?: try string()
    case UInt8(ascii: "t")?: try literal("true")
    case UInt8(ascii: "f")?: try literal("false")
    case UInt8(ascii: "n")?: try literal("null")
    default: try number()
    }
    return true
  }

  private mutating func enters(endingWith end: UInt8) throws(WireError) -> Bool {
    containers.append((tape.count, 0))
    add(json[at])
    at += 1
    if peek() == end {
      close(end)
      return false
    }
    guard containers.count < maximumDepth else { throw .nestedTooDeeply }
    try beginMember()
    return true
  }

  /// Closes the innermost container if it ends here; returns false if another value follows, or if no container is open.
  private mutating func closesContainer() throws(WireError) -> Bool {
    guard let container = containers.last else { return false }
    let end = tag(of: container.start) + 2
    switch peek() {
    case UInt8(ascii: ",")?:
      at += 1
      try beginMember()
      return false
    case end?:
      close(end)
      return true
    default: throw .malformed(json)
    }
  }

  /// Counts a member or an element, and reads the member's name.
  private mutating func beginMember() throws(WireError) {
    let container = containers[containers.count - 1]
    containers[containers.count - 1].count += 1
    guard tag(of: container.start) == UInt8(ascii: "{") else { return }
    guard peek() == UInt8(ascii: "\"") else { throw .malformed(json) }
    try string()
    guard peek() == UInt8(ascii: ":") else { throw .malformed(json) }
    at += 1
  }

  private mutating func close(_ end: UInt8) {
    let (start, count) = containers.removeLast()
    add(end, start)
    at += 1
    tape[start] |= UInt64(tape.count) | UInt64(min(count, 0xFF_FFFF)) << 32
  }

  private func tag(of index: Int) -> UInt8 { UInt8(truncatingIfNeeded: tape[index] >> 56) }

  private mutating func add(_ tag: UInt8, _ payload: Int = 0) {
    tape.append(UInt64(tag) << 56 | UInt64(payload))
  }

  // MARK: Bytes

  /// Skips white space and returns the byte after it; nil at the end.
  private mutating func peek() -> UInt8? {
    while at < json.count {
      switch json[at] {
      case 0x20, 0x09, 0x0A, 0x0D: at += 1
      default: return json[at]
      }
    }
    return nil
  }

  /// Consumes and returns the next byte.
  private mutating func next() throws(WireError) -> UInt8 {
    guard at < json.count else { throw .malformed(json) }
    at += 1
    return json[at - 1]
  }

  private mutating func skips(_ byte: UInt8) -> Bool {
    guard at < json.count, json[at] == byte else { return false }
    at += 1
    return true
  }

  private mutating func literal(_ text: StaticString) throws(WireError) {
    add(json[at])
    for offset in 0..<text.utf8CodeUnitCount where try next() != text.utf8Start[offset] {
      throw .malformed(json)
    }
  }

  // MARK: Strings

  private mutating func string() throws(WireError) {
    at += 1
    let start = strings.count
    add(UInt8(ascii: "\""), start)
    strings.append(contentsOf: [0, 0, 0, 0])
    while true {
      let piece = at
      while at < json.count, json[at] >= 0x20, json[at] != UInt8(ascii: "\""), json[at] != UInt8(ascii: "\\")
      {
        at += 1
      }
      strings.append(contentsOf: json[piece..<at])
      switch try next() {
      case UInt8(ascii: "\""): return store(length: strings.count - start - 4, at: start)
      case UInt8(ascii: "\\"): try escape()
      default: throw .malformed(json)
      }
    }
  }

  private mutating func store(length: Int, at start: Int) {
    strings.withUnsafeMutableBytes {
      $0.storeBytes(of: UInt32(length), toByteOffset: start, as: UInt32.self)
    }
  }

  private mutating func escape() throws(WireError) {
    let byte = try next()
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): strings.append(byte)
    case UInt8(ascii: "b"): strings.append(0x08)
    case UInt8(ascii: "f"): strings.append(0x0C)
    case UInt8(ascii: "n"): strings.append(0x0A)
    case UInt8(ascii: "r"): strings.append(0x0D)
    case UInt8(ascii: "t"): strings.append(0x09)
    case UInt8(ascii: "u"): strings.append(contentsOf: String(try scalar()).utf8)
    default: throw .malformed(json)
    }
  }

  /// Reads the scalar of a `\u` escape or of two that form a surrogate pair; a lone surrogate is refused.
  private mutating func scalar() throws(WireError) -> Unicode.Scalar {
    let first = try codeUnit()
    var units = [first]
    if UTF16.isLeadSurrogate(first) {
      guard skips(UInt8(ascii: "\\")), skips(UInt8(ascii: "u")) else { throw .malformed(json) }
      units.append(try codeUnit())
    }
    guard let text = String(validating: units, as: UTF16.self), let scalar = text.unicodeScalars.first else {
      throw .malformed(json)
    }
    return scalar
  }

  private mutating func codeUnit() throws(WireError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = Character(Unicode.Scalar(try next())).hexDigitValue else { throw .malformed(json) }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }

  // MARK: Numbers

  private mutating func number() throws(WireError) {
    let start = at
    _ = skips(UInt8(ascii: "-"))
    if !skips(UInt8(ascii: "0")) { try digits() }
    var isInteger = true
    if skips(UInt8(ascii: ".")) {
      try digits()
      isInteger = false
    }
    let mantissa = json[start..<at]
    let hasPoint = !isInteger
    if skips(UInt8(ascii: "e")) || skips(UInt8(ascii: "E")) {
      if !skips(UInt8(ascii: "+")) { _ = skips(UInt8(ascii: "-")) }
      try digits()
      isInteger = false
    }
    let text = String(decoding: json[start..<at], as: UTF8.self)
    if isInteger, text != "-0", addInteger(text) { return }
    guard let number = Double(text) else { throw .malformed(json) }
    if !number.isFinite { throw .losesNumbers }
    if keepsNumbers, number == 0, mantissa.contains(where: { (0x31...0x39).contains($0) }) {
      throw .losesNumbers
    }
    if keepsNumbers, hasPoint, at == mantissa.endIndex, Double(keepingDigits: mantissa) == nil,
      number.magnitude < 0x1p63 || Int64(wholeDecimal: mantissa) != nil
    {
      throw .losesNumbers
    }
    add(UInt8(ascii: "d"))
    tape.append(number.bitPattern)
  }

  private mutating func digits() throws(WireError) {
    let start = at
    while at < json.count, (0x30...0x39).contains(json[at]) { at += 1 }
    guard at > start else { throw .malformed(json) }
  }

  /// Adds a 64-bit integer; returns false if the number does not fit.
  private mutating func addInteger(_ text: String) -> Bool {
    if let number = Int64(text) {
      add(UInt8(ascii: "l"))
      tape.append(UInt64(bitPattern: number))
    } else if let number = UInt64(text) {
      add(UInt8(ascii: "u"))
      tape.append(number)
    } else {
      return false
    }
    return true
  }
}
