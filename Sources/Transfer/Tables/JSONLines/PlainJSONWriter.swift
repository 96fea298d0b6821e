package import Files
import FirestoreModels

/// Writes the documents of a collection as plain JSON for other programs: an array of objects, or one object per line.
///
/// The member `__name__` is the document's ID or its path below the collection, as in a table. Numbers, texts, booleans,
/// nulls, arrays and maps are JSON's own. A time is RFC 3339, bytes are Base64, a reference is the full name, a vector an
/// array, a geo point an object. What they were is therefore known only from the schema of the collection, by which
/// ``PlainJSON`` reads them.
package final class PlainJSONWriter: CollectionWriter {
  package private(set) var documentCount = 0
  package private(set) var receipt: OutputFile.Receipt?

  private let collection: CollectionPath
  private let isArray: Bool
  private var file: OutputFile?
  private var json = JSONWriter()

  /// Starts a file (`-` is standard output; `.gz` compresses).
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package init(
    _ path: String,
    collection: CollectionPath,
    isArray: Bool,
    digest: Bool = false,
    via files: FileAccess = .local
  ) throws(Failure) {
    (self.collection, self.isArray) = (collection, isArray)
    file = try OutputFile(path, digest: digest, via: files)
  }

  package func append(_ page: DocumentPage) throws(Failure) {
    for document in try page.documents() {
      let name = try document.path.name(below: collection)
      if isArray { try file?.write(documentCount == 0 ? "[\n" : ",\n") }
      json.removeAll()
      json.object { json in
        json.member("__name__", String(Substring(name)))
        Self.write(document.fields, to: &json)
      }
      try file?.write(json.bytes)
      if !isArray { try file?.write("\n") }
      documentCount += 1
    }
  }

  package func finish() throws(Failure) {
    if isArray { try file?.write(documentCount == 0 ? "[]\n" : "\n]\n") }
    guard let file = file.take() else { return }
    receipt = try file.finish()
  }

  /// - Parameter text: Returns the text that represents a value; nil to write the value itself.
  package static func write(
    _ fields: FieldMap,
    to json: inout JSONWriter,
    text: (Value) -> String? = { _ in nil }
  ) {
    for entry in fields.entries {
      json.key(entry.name)
      write(entry.value, to: &json, text: text)
    }
  }

  static func write(
    _ value: Value,
    to json: inout JSONWriter,
    text: (Value) -> String? = { _ in nil }
  ) {
    if let text = text(value) { return json.string(text) }
    switch value {
    case .null: json.null()
    case .boolean(let flag): json.boolean(flag)
    case .integer(let number): json.integer(number)
    case .double(let number): json.double(number)
    case .timestamp(let moment): json.string(moment.description)
    case .string(let text), .reference(let text): json.string(text)
    case .bytes(let bytes): json.string(Base64.standard(bytes))
    case .geoPoint(let point):
      json.object {
        $0.member("latitude", point.latitude)
        $0.member("longitude", point.longitude)
      }
    case .array(let values):
      json.array { json in for value in values { write(value, to: &json, text: text) } }
    case .map(let fields):
      if let vector = fields.vector {
        json.array { json in for number in vector { json.double(number) } }
      } else {
        json.object { write(fields, to: &$0, text: text) }
      }
    }
  }
}
