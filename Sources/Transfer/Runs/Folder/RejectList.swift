import Files
package import FirestoreModels

/// `rejects.jsonl`: the documents that could not be written or migrated, one JSON object a line: `{"code": …,
/// "document": {…}, "message": …, "path": …}`.
///
/// Mended, the file is imported as it is.
package struct RejectList: Sendable {
  private let list: LineList

  /// Where it is, once there is a line in it.
  package var path: String { list.path }

  /// The list of a run.
  package init(_ run: RunDirectory) {
    list = LineList(run.file("rejects.jsonl"))
  }

  /// Adds a document.
  ///
  /// - Parameters: as of ``line(_:code:message:fields:)``.
  /// - Throws: `.cannotWrite`.
  package func add(_ path: DocumentPath, code: String, message: String, fields: FieldMap?) throws(Failure) {
    try append(Self.line(path, code: code, message: message, fields: fields))
  }

  /// Adds lines, each with its end.
  ///
  /// - Throws: `.cannotWrite`.
  package func append(_ lines: [UInt8]) throws(Failure) {
    try list.append(lines)
  }

  /// The line of a document, with its end.
  ///
  /// - Parameters:
  ///   - path: The document.
  ///   - code: Why, as a fixed code: the service's (`INVALID_ARGUMENT`) or a finding's (`wrong-type`).
  ///   - message: Why, in a sentence without data.
  ///   - fields: What it holds or was to hold; nil where that is not known.
  package static func line(
    _ path: DocumentPath,
    code: String,
    message: String,
    fields: FieldMap?
  ) -> [UInt8] {
    var json = JSONWriter()
    json.object {
      $0.key("code")
      $0.string(code)
      if let fields {
        $0.key("document")
        $0.document(RawDocument(path: path, fields: fields))
      }
      $0.key("message")
      $0.string(Secrets.redacted(message))
      $0.key("path")
      $0.string(path.string)
    }
    json.bytes.append(UInt8(ascii: "\n"))
    return json.bytes
  }
}
