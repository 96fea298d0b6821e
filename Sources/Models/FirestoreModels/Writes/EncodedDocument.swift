/// A document as the JSON of the write that creates it, made without values in memory.
///
/// It keeps all limits, has the form in which the service stores it, and is encoded as the service does, so documents
/// with the same fields have the same bytes. ``DocumentEncoder`` makes it; what looks at its fields decodes them.
package struct EncodedDocument: Sendable, Equatable {
  package let path: DocumentPath
  /// References that were rewritten to the target database, and those that were kept.
  package let references: (rewritten: Int, kept: Int)
  /// `{"update":{"fields":{…},"name":"projects/…"},"currentDocument":{"exists":false}}`.
  let creation: [UInt8]
  /// The part of ``creation`` with all fields, `{…}`; empty if there are none.
  let fieldsRange: Range<Int>
  /// The part of ``creation`` up to the precondition.
  let updateEnd: Int

  static let precondition: StaticString = ",\"currentDocument\":{\"exists\":false}}"

  /// The document in memory.
  package var document: RawDocument { RawDocument(path: path, fields: fields) }

  /// The fields in memory.
  package var fields: FieldMap {
    if fieldsRange.isEmpty { return FieldMap() }
    do throws(WireError) {
      return try JSONParser.decode(Array(creation[fieldsRange])) { json, decoder throws(WireError) in
        try decoder.fields(json)
      }
    } catch {
      preconditionFailure("an encoded document cannot be decoded: \(error)")
    }
  }

  /// Whether the fields are the same as those of a document.
  ///
  /// - Parameter json: A buffer, which is overwritten.
  package func hasFields(_ fields: FieldMap, encodedInto json: inout JSONWriter) -> Bool {
    json.removeAll()
    json.fields(fields)
    if fieldsRange.isEmpty { return fields.isEmpty }
    return json.bytes.count == fieldsRange.count && json.bytes.elementsEqual(creation[fieldsRange])
  }

  package static func == (a: EncodedDocument, b: EncodedDocument) -> Bool {
    a.path == b.path && a.creation == b.creation
  }
}

extension JSONWriter {
  /// Writes the fields: `{"a": value, …}`.
  mutating func fields(of document: EncodedDocument) {
    if document.fieldsRange.isEmpty { return literal("{}") }
    raw(document.creation[document.fieldsRange])
  }
}
