/// A document encoded as the JSON of the write that creates it, without values in memory.
///
/// It is within all limits, has the form in which the service stores it, and is encoded as the service encodes it, so that
/// documents with the same fields have the same bytes. ``DocumentEncoder`` creates it; reading its fields decodes them.
///
/// It is a class because it passes through some ten lists until it is written.
package final class EncodedDocument: Sendable, Equatable {
  package let path: DocumentPath
  /// The numbers of references that were rewritten to the target database, and of those that were kept.
  package let references: (rewritten: Int, kept: Int)
  /// `{"update":{"fields":{…},"name":"projects/…"},"currentDocument":{"exists":false}}`.
  let creation: [UInt8]
  /// The range of all fields in ``creation``, `{…}`; empty if there are none.
  let fieldsRange: Range<Int>
  /// The end of the update in ``creation``, where the precondition begins.
  let updateEnd: Int

  static let precondition: StaticString = ",\"currentDocument\":{\"exists\":false}}"

  init(
    path: DocumentPath,
    references: (rewritten: Int, kept: Int),
    creation: [UInt8],
    fieldsRange: Range<Int>,
    updateEnd: Int
  ) {
    (self.path, self.references, self.creation) = (path, references, creation)
    (self.fieldsRange, self.updateEnd) = (fieldsRange, updateEnd)
  }

  /// The document, decoded.
  package var document: RawDocument { RawDocument(path: path, fields: fields) }

  /// The fields, decoded.
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

  /// Whether the document has exactly these fields.
  ///
  /// - Parameter json: A buffer to encode the fields into; its contents are overwritten.
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
