import CExpat
import Files
import Platform

/// Receives the tags and texts of an ``XMLStream`` that are in the namespace of the root element, with local names.
///
/// It receives nothing of extensions: elements of other namespaces, lists of extensions (`extLst`), and the alternatives of
/// an `mc:AlternateContent` other than its `mc:Fallback` (ECMA-376, part 3), with everything in them.
class XMLHandler {
  typealias Name = UnsafePointer<CChar>

  fileprivate var parser: XML_Parser?
  fileprivate var refusal: String?
  fileprivate var events = 0
  fileprivate var depth = 0
  /// The namespace of the root element with the separator behind it; empty if it has none.
  private var namespace: [CChar] = []
  /// The depth of the extension that is being skipped; 0 outside of any.
  private var extensionDepth = 0

  func start(_ name: Name, _ attributes: XMLAttributes) {}
  func end(_ name: Name) {}
  /// Receives part of a text.
  func text(_ utf8: UnsafeBufferPointer<UInt8>) {}

  /// Makes ``XMLStream/advance()`` return after this event.
  final func pause() { XML_StopParser(parser, 1) }

  fileprivate func open(_ name: Name, _ attributes: XMLAttributes) {
    depth += 1
    if depth > XMLStream.maximumDepth {
      refuse("elements are nested more than \(XMLStream.maximumDepth) levels deep")
    }
    if refusal != nil || extensionDepth > 0 { return }
    if depth == 1 { namespace = Array(UnsafeBufferPointer(start: name, count: name.namespaceCount)) }
    if let local = local(name), !local.isNamed("extLst") {
      start(local, attributes)
    } else if !name.isFallback {
      extensionDepth = depth
    }
  }

  fileprivate func close(_ name: Name) {
    if refusal == nil, extensionDepth == 0, let local = local(name) { end(local) }
    if extensionDepth == depth { extensionDepth = 0 }
    depth -= 1
  }

  fileprivate func add(_ utf8: UnsafeBufferPointer<UInt8>) {
    if refusal == nil, extensionDepth == 0 { text(utf8) }
  }

  /// Returns the local name of an element of the root's namespace; nil for any other.
  private func local(_ name: Name) -> Name? {
    guard strncmp(name, namespace, namespace.count) == 0 else { return nil }
    let local = name + namespace.count
    return namespace.isEmpty && local.namespaceCount > 0 ? nil : local
  }

  /// Stops reading with an error.
  final func refuse(_ reason: String) {
    if refusal != nil { return }
    refusal = reason
    XML_StopParser(parser, 0)
  }
}

/// The attributes of an element, valid during ``XMLHandler/start(_:_:)``.
struct XMLAttributes {
  fileprivate let list: UnsafeMutablePointer<UnsafePointer<CChar>?>?

  /// Returns the value of an attribute without a namespace, as all of a workbook are except for ``relation``.
  func value(_ name: StaticString) -> UnsafePointer<CChar>? { first { $0.isNamed(name) } }

  subscript(name: StaticString) -> String? { value(name).map { String(cString: $0) } }

  /// The attribute `r:id`, the relation of an element to another part.
  var relation: String? {
    first { name in
      name.isNamed("http://schemas.openxmlformats.org/officeDocument/2006/relationships\nid")
        || name.isNamed("http://purl.oclc.org/ooxml/officeDocument/relationships\nid")
    }.map { String(cString: $0) }
  }

  private func first(_ isWanted: (UnsafePointer<CChar>) -> Bool) -> UnsafePointer<CChar>? {
    guard var at = list else { return nil }
    while let key = at.pointee {
      if isWanted(key) { return at[1] }
      at += 2
    }
    return nil
  }
}

/// Names as expat gives them: the namespace, ``XMLStream/separator`` and the local name, or the local name alone.
extension UnsafePointer<CChar> {
  /// Whether this is a name.
  func isNamed(_ name: StaticString) -> Bool { strcmp(self, name.cString) == 0 }

  /// The number of bytes before the local name.
  fileprivate var namespaceCount: Int {
    strchr(self, Int32(XMLStream.separator)).map { UnsafePointer($0) - self + 1 } ?? 0
  }

  /// Whether this is an element whose content is read for those before it, which ask for extensions.
  fileprivate var isFallback: Bool {
    isNamed("http://schemas.openxmlformats.org/markup-compatibility/2006\nAlternateContent")
      || isNamed("http://schemas.openxmlformats.org/markup-compatibility/2006\nFallback")
  }
}

extension StaticString {
  /// Static strings end with NUL.
  fileprivate var cString: UnsafePointer<CChar> {
    UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

/// Reads an XML entry of a ZIP archive piece by piece.
///
/// It refuses a DOCTYPE (which can define exponential entities), nesting beyond ``maximumDepth`` and tags
/// longer than ``maximumTagBytes``.
struct XMLStream: ~Copyable {
  static let maximumDepth = 100
  static let maximumTagBytes = 1 << 20
  private static let chunkSize = 64 << 10
  /// A line break, which no namespace has.
  fileprivate static let separator: CChar = 0x0A

  private var entry: ZIPEntry
  private let handler: XMLHandler
  private let parser: XML_Parser
  private var isPaused = false
  private var isAtEnd = false
  private var bytesSinceEvent = 0

  /// Starts reading an entry.
  ///
  /// - Throws: ``Failure`` of kind `internal` if there is no memory.
  init(_ entry: consuming ZIPEntry, _ handler: XMLHandler) throws(Failure) {
    guard let parser = XML_ParserCreateNS(nil, Self.separator) else {
      throw Failure(.internal, "read", path: entry.path, cause: "expat cannot be started")
    }
    self.entry = entry
    self.handler = handler
    self.parser = parser
    handler.parser = parser
    XML_SetUserData(parser, Unmanaged.passUnretained(handler).toOpaque())
    XML_SetElementHandler(
      parser,
      { data, name, attributes in
        if let name { XMLStream.handler(data)?.open(name, XMLAttributes(list: attributes)) }
      },
      { data, name in
        if let name { XMLStream.handler(data)?.close(name) }
      }
    )
    XML_SetCharacterDataHandler(parser) { data, text, count in
      guard let handler = XMLStream.handler(data), let text else { return }
      text.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
        handler.add(UnsafeBufferPointer(start: $0, count: Int(count)))
      }
    }
    XML_SetStartDoctypeDeclHandler(parser) { data, _, _, _, _ in
      XMLStream.handler(data)?.refuse("it has a DOCTYPE, which no workbook needs")
    }
  }

  deinit {
    handler.parser = nil
    XML_ParserFree(parser)
  }

  private static func handler(_ data: UnsafeMutableRawPointer?) -> XMLHandler? {
    guard let data else { return nil }
    let handler = Unmanaged<XMLHandler>.fromOpaque(data).takeUnretainedValue()
    handler.events &+= 1
    return handler
  }

  /// The offset in the compressed entry at which the handler paused, interpolated linearly.
  var position: Int {
    if isAtEnd, !isPaused { return entry.packedBytes }
    let share = Double(XML_GetCurrentByteIndex(parser)) / Double(max(entry.unpackedBytes, 1))
    return Int(Double(entry.packedBytes) * min(max(share, 0), 1))
  }

  /// Continues until the handler pauses; returns false at the end of the entry.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` with the entry's name and line, or the handler's error.
  mutating func advance() throws(Failure) -> Bool {
    var status = XML_STATUS_OK
    if isPaused {
      isPaused = false
      status = XML_ResumeParser(parser)
    }
    while true {
      if status == XML_STATUS_SUSPENDED {
        isPaused = true
        return true
      }
      if status != XML_STATUS_OK { throw failure() }
      if isAtEnd { return false }
      guard let buffer = XML_GetBuffer(parser, Int32(Self.chunkSize)) else {
        throw Failure(.internal, "read", path: entry.path, cause: "there is not enough memory")
      }
      let room = UnsafeMutableRawBufferPointer(start: buffer, count: Self.chunkSize)
      let count = try entry.read(into: room)
      isAtEnd = count == 0
      let before = handler.events
      status = XML_ParseBuffer(parser, Int32(count), isAtEnd ? 1 : 0)
      bytesSinceEvent = handler.events == before ? bytesSinceEvent + count : 0
      if bytesSinceEvent > Self.maximumTagBytes {
        throw malformed("a tag is longer than \(Self.maximumTagBytes >> 20) MiB")
      }
    }
  }

  private func failure() -> Failure {
    if let refusal = handler.refusal { return malformed(refusal) }
    let text = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) } ?? "it is not XML"
    return malformed("line \(XML_GetCurrentLineNumber(parser)): \(text)")
  }

  private func malformed(_ cause: String) -> Failure {
    .malformed(entry.path, "\(entry.name): \(cause)")
  }

  /// Reads an entire entry and calls `body` at the start of each element.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed`.
  /// - Returns: Whether the entry exists.
  @discardableResult
  static func read(
    _ name: String,
    in path: String,
    _ start: @escaping (XMLHandler, UnsafePointer<CChar>, XMLAttributes) -> Void
  ) throws(Failure) -> Bool {
    try read(name, in: path, StartHandler(start))
  }

  /// Reads a part of a workbook to its end; returns false if there is none.
  @discardableResult
  static func read(_ name: String, in path: String, _ handler: XMLHandler) throws(Failure) -> Bool {
    guard let entry = try ZIPEntry.open(name, in: path) else { return false }
    var stream = try XMLStream(entry, handler)
    while try stream.advance() {}
    return true
  }
}

private final class StartHandler: XMLHandler {
  private let body: (XMLHandler, Name, XMLAttributes) -> Void

  init(_ body: @escaping (XMLHandler, Name, XMLAttributes) -> Void) {
    self.body = body
  }

  override func start(_ name: Name, _ attributes: XMLAttributes) { body(self, name, attributes) }
}
