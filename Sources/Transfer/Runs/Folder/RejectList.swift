import Files

/// `rejects.jsonl`: documents that could not be written or migrated, one JSON object per line.
///
/// A line is `{"code": …, "document": {…}, "message": …, "path": …}`. Once corrected, the file can be imported as it is.
package struct RejectList: Sendable {
  private let list: LineList
  private let counts = Locked<[String: Int]>([:])

  /// The path of the file, which exists once a line has been added.
  package var path: String { list.path }

  /// The number of documents that were listed or counted for each code or reason.
  package var codes: [String: Int] { counts.withLock { $0 } }

  /// Creates the list of a run.
  package init(_ run: RunDirectory) {
    list = LineList(run.file("rejects.jsonl"))
  }

  /// Adds a document, with the parameters of ``line(_:code:message:document:)``.
  /// - Throws: `.cannotWrite`.
  package func add(
    _ path: DocumentPath,
    code: String,
    countedAs reason: String? = nil,
    message: String,
    document: RawDocument?
  ) throws(Failure) {
    try append(Self.line(path, code: code, message: message, document: document))
    count(reason ?? code)
  }

  /// Counts documents that are listed elsewhere.
  package func count(_ code: String, _ documents: Int = 1) {
    counts.withLock { $0[code, default: 0] += documents }
  }

  /// Appends lines, each with its line feed.
  ///
  /// - Throws: `.cannotWrite`.
  package func append(_ lines: [UInt8]) throws(Failure) {
    try list.append(lines)
  }

  /// Returns the line of a document, with its line feed.
  ///
  /// - Parameters:
  ///   - path: The document path.
  ///   - code: The reason as a fixed code: the service's (`INVALID_ARGUMENT`) or a finding's (`wrong-type`).
  ///   - message: The reason in a sentence, without data.
  ///   - document: The document as it is or should be; nil if that is not known. If it has an update time, importing the
  ///     line leaves a document alone that was written since.
  package static func line(
    _ path: DocumentPath,
    code: String,
    message: String,
    document: RawDocument?
  ) -> [UInt8] {
    JSONWriter.object {
      $0.member("code", code)
      if let document {
        $0.key("document")
        $0.document(RawDocument(path: path, fields: document.fields, updateTime: document.updateTime))
      }
      $0.member("message", Secrets.redacted(message))
      $0.member("path", path.string)
    } + [UInt8(ascii: "\n")]
  }
}
