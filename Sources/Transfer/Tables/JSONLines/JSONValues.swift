package import Files
package import FirestoreModels

/// Reads the values of a JSON file one by one, whatever encloses them: nothing, an array, the `documents` of a response of
/// the service, an object of documents by their IDs, or collections of such objects under `__collections__`.
///
///     var values = try JSONValues("members.json", readsIDs: true)
///     while try values.next() { print(values.key ?? "", values.bytes.count) }
///
/// It holds the longest value in memory.
package struct JSONValues: ~Copyable {
  private enum Around {
    case unknown, nothing, array, response, object, collections, ended
  }

  /// The key of the value if it is a member of an object; nil in any other form.
  package private(set) var key: String?
  /// The root collection of the value, if the file names it.
  package private(set) var collection: String?
  /// The value as it is in the file.
  package private(set) var bytes: [UInt8] = []
  /// The number of the line on which the value begins.
  package private(set) var line = 1
  /// Whether a response indicates that there are more documents.
  package private(set) var hasMore = false

  private static let maximumBytes = 64 << 20
  private static let white: Set<UInt8> = [0x20, 0x09, 0x0A, 0x0D]

  private let readsIDs: Bool
  private let form: JSONForm
  /// Whether the collections are inside a member of an object.
  private var isWrapped = false
  private var file: InputFile
  private let chunk: UnsafeMutableRawBufferPointer
  private var unread: Range<Int> = 0..<0
  private var reading = ReadingPosition()
  private var currentLine = 1
  private var around = Around.unknown
  private var isFirst = true
  /// The number of values read.
  private var count = 0

  /// The advice if an object that was taken for documents by their IDs may be a document itself.
  private static let idAdvice =
    "; if each object is a document, name the member that has its id with --id-column"

  /// Opens a file.
  ///
  /// - Parameters:
  ///   - readsIDs: Whether the keys of an object may be the IDs of documents.
  ///   - form: Whether the members of an object are documents or collections.
  /// - Throws: ``Failure`` of kind `inputMissing`.
  package init(
    _ path: String,
    readsIDs: Bool,
    form: JSONForm = .documents,
    via files: FileAccess = .local
  ) throws(Failure) {
    file = try InputFile(path, via: files)
    (self.readsIDs, self.form) = (readsIDs, form)
    chunk = .allocate(byteCount: 1 << 18, alignment: 16)
  }

  deinit { chunk.deallocate() }

  /// The offset in the file as stored.
  package var position: Int { reading.bytes(used: unread.lowerBound) }

  /// Reads the next value; returns false at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` with the line if the file is in none of these forms.
  package mutating func next() throws(Failure) -> Bool {
    if around == .unknown { try begin() }
    defer { isFirst = false }
    switch around {
    case .unknown, .nothing:
      if !isFirst || bytes.isEmpty {
        guard try skipWhite() != nil else { return false }
        startValue()
      }
      try value()
      return true
    case .array, .response, .object: return try element()
    case .collections: return try documentOfCollection()
    case .ended: return false
    }
  }

  // MARK: Forms

  private mutating func begin() throws(Failure) {
    around = .nothing
    bytes = []
    if try peek() != nil, ForeignLine(chunk[unread].prefix(64)) == .utf16 {
      throw ForeignLine.refusal(ofUTF16: file.path)
    }
    if try peek() == 0xEF { for _ in 0..<3 { _ = try take() } }
    switch try skipWhite() {
    case UInt8(ascii: "["):
      _ = try take()
      around = .array
    case UInt8(ascii: "{"): try beginObject()
    default: return
    }
  }

  /// Reads as far as the value of the first member, which shows what the object is.
  private mutating func beginObject() throws(Failure) {
    startValue()
    try copy()
    guard try copyWhite() == UInt8(ascii: "\"") else { return }
    let start = bytes.count
    try copyString()
    let name = bytes[start...]
    guard try copyWhite() == UInt8(ascii: ":") else { return }
    try copy()
    let next = try copyWhite()
    if name.elementsEqual("\"__collections__\"".utf8), next == UInt8(ascii: "{") {
      _ = try take()
      (around, isWrapped) = (.collections, true)
      bytes = []
    } else if form == .collections, next == UInt8(ascii: "{") {
      _ = try take()
      (around, collection) = (.collections, Self.text(Array(name)) ?? "")
      bytes = []
    } else if name.elementsEqual("\"documents\"".utf8), next == UInt8(ascii: "[") {
      _ = try take()
      around = .response
    } else if readsIDs, next == UInt8(ascii: "{"),
      !["\"fields\"", "\"document\""].contains(where: { name.elementsEqual($0.utf8) })
    {
      around = .object
      key = Self.text(Array(name))
      bytes = []
    }
  }

  /// Reads the next element or member; returns false at the end.
  private mutating func element() throws(Failure) -> Bool {
    if around == .object, isFirst {
      startValue()
      try value()
      return true
    }
    let close = UInt8(ascii: around == .object ? "}" : "]")
    var byte = try skipWhite()
    if byte == close { return try end() }
    if !isFirst { byte = try behind(comma: byte) }
    startValue()
    if around == .object { key = try name(byte) }
    try value()
    return true
  }

  /// Skips a comma; returns the first byte of what follows.
  private mutating func behind(comma byte: UInt8?) throws(Failure) -> UInt8? {
    guard byte == UInt8(ascii: ",") else { throw malformed("expected a comma or the end") }
    _ = try take()
    return try skipWhite()
  }

  /// Reads the name of a member, up to its value.
  private mutating func name(_ byte: UInt8?) throws(Failure) -> String? {
    guard byte == UInt8(ascii: "\"") else { throw malformed("expected the id of a document or a collection") }
    try copyString()
    let name = Self.text(bytes)
    guard try skipWhite() == UInt8(ascii: ":") else { throw malformed("expected a colon") }
    _ = try take()
    _ = try skipWhite()
    bytes = []
    return name
  }

  /// Reads the next document of a collection in the file; returns false at the end.
  private mutating func documentOfCollection() throws(Failure) -> Bool {
    var isFirstMember = isFirst
    while true {
      var byte = try skipWhite()
      if byte == UInt8(ascii: "}") {
        if collection == nil { return try endCollections() }
        collection = nil
        isFirstMember = false
        _ = try take()
        continue
      }
      if !isFirstMember { byte = try behind(comma: byte) }
      startValue()
      let name = try name(byte)
      if collection != nil {
        key = name
        try value()
        return true
      }
      guard try take() == UInt8(ascii: "{") else { throw malformed("expected the documents of a collection") }
      collection = name ?? ""
      isFirstMember = true
    }
  }

  private mutating func endCollections() throws(Failure) -> Bool {
    if !isWrapped { return try end() }
    _ = try take()
    guard try skipWhite() == UInt8(ascii: "}") else {
      throw malformed("expected the end behind __collections__")
    }
    return try end()
  }

  /// Reads what follows the last element; returns false.
  private mutating func end() throws(Failure) -> Bool {
    _ = try take()
    if around == .response {
      bytes = Array("{\"documents\":0".utf8)
      try rest(depth: 1)
      hasMore = try hasToken()
    }
    guard try skipWhite() == nil else {
      throw malformed("there is more behind the end\(around == .object ? Self.idAdvice : "")")
    }
    around = .ended
    return false
  }

  /// Whether a response has, besides its documents, the token of a next page; throws if it has any other member.
  private func hasToken() throws(Failure) -> Bool {
    let names = try? JSONParser().parse(bytes) { json throws(WireError) in json.members.map { $0.name.string }
    }
    switch names {
    case ["documents"]: return false
    case ["documents", "nextPageToken"]: return true
    default: throw malformed("an object with documents and other members is no response of the service")
    }
  }

  private static func text(_ json: [UInt8]) -> String? {
    try? JSONParser().parse(Array("[".utf8) + json + Array("]".utf8)) { json throws(WireError) in
      var elements = json.elements
      return elements.next()?.string
    }
  }

  // MARK: Values

  private mutating func startValue() {
    line = currentLine
    bytes.removeAll(keepingCapacity: true)
  }

  /// Copies a value, or the rest of one whose beginning was copied.
  private mutating func value() throws(Failure) {
    if bytes.isEmpty {
      guard try peek() == UInt8(ascii: "{") else { return try other() }
      try copy()
    }
    count += 1
    try rest(depth: 1)
  }

  /// Copies what is there instead of an object: the rest of its line, or an element of an array.
  private mutating func other() throws(Failure) {
    switch (around, try peek()) {
    case (.nothing, _) where count > 0: while let byte = try peek(), byte != 0x0A { try copy() }
    case (.array, UInt8(ascii: "[")):
      try copy()
      try rest(depth: 1)
    case (.array, UInt8(ascii: "\"")): try copyString()
    case (.array, _):
      while let byte = try peek(), byte.isASCIILetterOrDigit || "+-.".utf8.contains(byte) { try copy() }
    default: break
    }
    if bytes.isEmpty { throw noObject() }
    count += 1
  }

  private mutating func rest(depth: Int) throws(Failure) {
    var depth = depth
    while depth > 0 {
      switch try peek() {
      case nil: throw malformed("it ends within a value")
      case UInt8(ascii: "\""): try copyString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        try copy()
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        try copy()
      default: try copy()
      }
    }
  }

  private mutating func copyString() throws(Failure) {
    try copy()
    while let byte = try peek() {
      try copy()
      if byte == UInt8(ascii: "\"") { return }
      if byte == UInt8(ascii: "\\") { try copy() }
    }
  }

  private mutating func copyWhite() throws(Failure) -> UInt8? {
    while let byte = try peek(), Self.white.contains(byte) { try copy() }
    return try peek()
  }

  private mutating func copy() throws(Failure) {
    guard let byte = try take() else { throw malformed("it ends within a value") }
    if bytes.count >= Self.maximumBytes {
      throw malformed("a value has more than \(Self.maximumBytes) bytes")
    }
    bytes.append(byte)
  }

  // MARK: Bytes

  private mutating func skipWhite() throws(Failure) -> UInt8? {
    while let byte = try peek(), Self.white.contains(byte) { _ = try take() }
    return try peek()
  }

  private mutating func peek() throws(Failure) -> UInt8? {
    if unread.isEmpty {
      let count = try file.read(into: chunk)
      reading.read(count, upTo: file.position)
      unread = 0..<count
    }
    return unread.isEmpty ? nil : chunk[unread.lowerBound]
  }

  private mutating func take() throws(Failure) -> UInt8? {
    guard let byte = try peek() else { return nil }
    unread = (unread.lowerBound + 1)..<unread.upperBound
    if byte == 0x0A { currentLine += 1 }
    return byte
  }

  /// Returns the failure for the current value, which is not an object.
  private func noObject() -> Failure {
    switch around {
    case .array, .response: malformed("element \(count + 1): expected an object")
    case .object:
      malformed("member '\(PathLimits.shortened(key ?? ""))': expected an object\(Self.idAdvice)")
    default: malformed("expected an object")
    }
  }

  private func malformed(_ cause: String) -> Failure {
    .malformed(file.path, "line \(currentLine): \(cause)")
  }
}
