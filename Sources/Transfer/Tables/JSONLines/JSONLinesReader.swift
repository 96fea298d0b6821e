package import Files

/// Reads JSON Lines of REST Documents from a file or standard input (`-`); gzip is decompressed.
///
///     var reader = try JSONLinesReader("users.jsonl")
///     while let line = try reader.next() {
///       print(line.number, try line.document.get().path)
///     }
///
/// In a line of `rejects.jsonl`, the document inside it is read. A byte order mark, CR LF and blank lines are accepted;
/// names may be relative or full; `createTime` and `updateTime` are dropped; unknown members are refused. It holds the
/// longest line in memory.
package struct JSONLinesReader: ~Copyable {
  /// A line that is not blank: its number, from 1, counting blank lines, and its document, or a ``Failure`` of kind
  /// `inputMalformed` with file and line.
  package typealias Line = (number: Int, document: Result<RawDocument, Failure>)

  /// How the document of a line is read.
  package enum Mode {
    case decoded
    /// Encoded as a write; decoded instead if the encoding is not certain to be right, and in addition if `isAccepted`
    /// returns false for the parsed document.
    case encoded(DocumentEncoder, isAccepted: (WireDocument) -> Bool)
    /// Only checked; decoded if it is not certain to be valid.
    case checked
  }

  /// A document in the form in which its line was read.
  package enum Document: Sendable {
    case decoded(RawDocument)
    case encoded(EncodedDocument)
    /// Encoded, and also decoded because it was not accepted.
    indirect case examined(EncodedDocument, RawDocument)
    /// Only checked.
    case checked(DocumentPath)

    package var path: DocumentPath {
      switch self {
      case .decoded(let document), .examined(_, let document): document.path
      case .encoded(let document): document.path
      case .checked(let path): path
      }
    }

    /// The document in memory, if it was decoded.
    package var decoded: RawDocument? {
      switch self {
      case .decoded(let document), .examined(_, let document): document
      case .encoded, .checked: nil
      }
    }

    /// The write of the document, if it was encoded.
    package var write: EncodedDocument? {
      switch self {
      case .encoded(let document), .examined(let document, _): document
      case .decoded, .checked: nil
      }
    }

    /// Returns the same document at another path; an encoded one is already encoded for its path.
    package func placed(at path: DocumentPath) -> Document {
      switch self {
      case .decoded(var document):
        document.path = path
        return .decoded(document)
      case .examined(let encoded, var document):
        document.path = path
        return .examined(encoded, document)
      case .encoded: return self
      case .checked: return .checked(path)
      }
    }
  }

  package static let defaultMaximumLineBytes = 64 << 20

  private var lines: LineReader
  private let maximumLineBytes: Int
  private let parser: JSONParser
  private var decoder = WireDecoder(unknownMembers: .refused)

  /// Opens a file.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing`.
  package init(
    _ path: String,
    maximumLineBytes: Int = JSONLinesReader.defaultMaximumLineBytes,
    via files: FileAccess = .local
  ) throws(Failure) {
    lines = try LineReader(path, maximumLineBytes: maximumLineBytes, via: files)
    self.maximumLineBytes = maximumLineBytes
    parser = JSONParser(maximumBytes: maximumLineBytes + 64, keepsNumbers: true)
  }

  /// What the line is, if it is the first one and not a REST Document.
  package var foreign: ForeignLine? { lines.number == 1 ? lines.withLine { ForeignLine($0) } : nil }

  /// The offset in the file (as stored) of the end of the line.
  package var position: Int { lines.position }

  /// Returns the next line that is not blank; nil at the end.
  ///
  /// An invalid line does not prevent reading the next one.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing` or `inputMalformed` if no further line can be read.
  package mutating func next() throws(Failure) -> Line? {
    var mode = Mode.decoded
    guard let (number, document) = try next(&mode) else { return nil }
    let decoded = document.map { document in
      guard let decoded = document.decoded else { preconditionFailure("the line is not decoded") }
      return decoded
    }
    return (number, decoded)
  }

  /// Returns the number and the document of the next line that is not blank; nil at the end.
  ///
  /// - Throws: The errors of ``next()``.
  package mutating func next(
    _ mode: inout Mode
  ) throws(Failure) -> (number: Int, document: Result<Document, Failure>)? {
    while try lines.advance() {
      let number = lines.number
      if lines.isTooLong {
        return (number, .failure(failure("it is longer than \(maximumLineBytes) bytes")))
      }
      do throws(WireError) {
        let document: Document? = try lines.withLine { bytes throws(WireError) in
          try Self.document(bytes, isFirst: number == 1, &mode, parser, &decoder)
        }
        if let document { return (number, .success(document)) }
      } catch {
        return (number, .failure(failure(error.description)))
      }
    }
    return nil
  }

  /// Skips lines without parsing them.
  ///
  /// - Throws: The errors of ``next()``; ``Failure`` of kind `inputMalformed` if there are fewer lines.
  package mutating func skip(through number: Int) throws(Failure) {
    while lines.number < number {
      if try lines.advance() { continue }
      throw Failure.malformed(lines.path, "it has fewer than \(number) lines")
    }
  }

  /// Returns the document of a line; nil if the line is blank.
  private static func document(
    _ bytes: UnsafeRawBufferPointer,
    isFirst: Bool,
    _ mode: inout Mode,
    _ parser: JSONParser,
    _ decoder: inout WireDecoder
  ) throws(WireError) -> Document? {
    var text = bytes
    let mark = CSVLineWriter.byteOrderMark
    if isFirst, text.starts(with: mark) {
      text = UnsafeRawBufferPointer(rebasing: text[mark.count...])
    }
    if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
    let json = try parser.parseHolding(text)
    var examined: EncodedDocument?
    switch mode {
    case .decoded: break
    case .checked:
      if let path = DocumentEncoder.certainPath(of: json, decoder) { return .checked(path) }
    case .encoded(var encoder, let isAccepted):
      // Moved out, so that its buffer is not copied.
      mode = .decoded
      let encoded = encoder.encode(json)
      mode = .encoded(encoder, isAccepted: isAccepted)
      if let encoded, isAccepted(encoded.source) { return .encoded(encoded.write) }
      examined = encoded?.write
    }
    try json.assertUniqueMembers()
    let rejected = try documentOfReject(json)
    var document = try decoder.document(rejected ?? json, in: nil)
    document.createTime = nil
    if rejected == nil { document.updateTime = nil }
    return examined.map { .examined($0, document) } ?? .decoded(document)
  }

  /// Returns the document in a line of ``RejectList``; nil for other lines.
  private static func documentOfReject(_ json: JSONCursor) throws(WireError) -> JSONCursor? {
    guard json["code"] != nil, json["path"] != nil, json["name"] == nil else { return nil }
    if let document = json["document"] { return document }
    throw WireError(
      "it names a document and has none to import, as that of a conflict, or one whose row is in rejects.csv; take it out"
    )
  }

  private func failure(_ reason: String) -> Failure {
    if foreign == .utf16 { return ForeignLine.refusal(ofUTF16: lines.path) }
    return .malformed(lines.path, "line \(lines.number): \(reason)")
  }
}
