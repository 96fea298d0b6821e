public import Models

/// `rejects.jsonl`: the documents that could not be written or migrated, one JSON object a line: `{"code": …,
/// "document": {…}, "message": …, "path": …}`.
///
/// Mended, the file is imported as it is.
public struct RejectList: Sendable {
  private let list: LazyList

  /// Where it is, once there is a line in it.
  public var path: String { list.path }

  /// The list of a run.
  public init(_ run: RunDirectory) {
    list = LazyList(run.file("rejects.jsonl"))
  }

  /// Adds a document.
  ///
  /// - Parameters:
  ///   - path: The document.
  ///   - code: Why, as a fixed code: the service's (`INVALID_ARGUMENT`) or a finding's (`wrong-type`).
  ///   - message: Why, in a sentence without data.
  ///   - fields: What it holds or was to hold; nil where that is not known.
  /// - Throws: `.cannotWrite`.
  public func add(_ path: DocumentPath, code: String, message: String, fields: FieldMap?) throws(Failure) {
    var json = JSONWriter()
    json.object {
      $0.key("code")
      $0.string(code)
      if let fields {
        $0.key("document")
        $0.document(RawDocument(path: path, fields: fields))
      }
      $0.key("message")
      $0.string(message)
      $0.key("path")
      $0.string(path.string)
    }
    json.bytes.append(UInt8(ascii: "\n"))
    try list.append(json.bytes)
  }
}
