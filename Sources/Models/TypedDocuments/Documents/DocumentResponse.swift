/// Decodes responses of `documents.get` and `documents.list` into typed documents.
///
/// `JSONDecoder.decodeGetResult(from:)` and `decodeListResult(from:)` do the same with `Data`.
package enum DocumentResponse {
  /// Decodes a response of `documents.get`: the document or the service's error.
  ///
  /// - Throws: `DecodingError` if the response is neither (a proxy's page, a truncated body), or the document
  ///   does not match the type.
  package static func get<Element: FieldsOnlyDocumentType>(
    _ type: Element.Type = Element.self,
    from json: UnsafeRawBufferPointer,
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Result<Element, FirestoreError> {
    try parse(json) { root in
      var reader = Reader<Element>(userInfo: userInfo)
      return try reader.document(root, at: [])
    }
  }

  /// Decodes a response of `documents.list` entirely: all documents of the page or the service's error.
  ///
  /// The page token is not returned; see ``page(_:from:userInfo:)``.
  ///
  /// - Throws: `DecodingError` if the response is neither, or if a document does not match the type or is
  ///   missing (`showMissing`), because a list without it would appear complete.
  package static func list<Element: FieldsOnlyDocumentType>(
    _ type: Element.Type = Element.self,
    from json: UnsafeRawBufferPointer,
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Result<[Element], FirestoreError> {
    try parse(json) { root in
      var reader = Reader<Element>(userInfo: userInfo)
      return try entries(of: root).enumerated().map { index, entry in
        try reader.document(entry, at: [DocumentKey.documents, FieldKey(intValue: index)])
      }
    }
  }

  /// Decodes a response of `documents.list` with a result for each document: the page or the service's error.
  ///
  /// - Throws: `DecodingError` if the response is neither.
  package static func page<Element: FieldsOnlyDocumentType>(
    _ type: Element.Type = Element.self,
    from json: UnsafeRawBufferPointer,
    userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws -> Result<DocumentList<Element>, FirestoreError> {
    try parse(json) { root in
      var reader = Reader<Element>(userInfo: userInfo)
      var list = DocumentList<Element>()
      if let token = root["nextPageToken"]?.string, !token.isEmpty { list.nextPageToken = token }
      for (index, entry) in try entries(of: root).enumerated() {
        let name = entry["name"]?.string
        if let name, isMissing(entry) {
          list.missing.append(name)
          continue
        }
        do {
          list.results.append(.success(try reader.document(entry, at: [])))
        } catch {
          list.results.append(.failure(DocumentFailure(name: name, index: index, error: error)))
        }
      }
      return list
    }
  }

  /// Parses a complete text: the service's error, or the result of `body`, within which the cursor is valid.
  private static func parse<Response>(
    _ json: UnsafeRawBufferPointer,
    _ body: (JSONCursor) throws -> Response
  ) throws -> Result<Response, FirestoreError> {
    let parser = JSONParser()
    let root: JSONCursor
    do throws(WireError) {
      root = try parser.parseHolding(json)
      try root.assertUniqueOwnMembers()
    } catch {
      let reason = error.isRepetition ? "\(error)" : "the response is not JSON: \(error.reason)"
      throw DecodingError.fault(reason, at: [])
    }
    return try withExtendedLifetime(parser) {
      if let error = FirestoreError(body: root) { return .failure(error) }
      return .success(try body(root))
    }
  }

  /// The documents of a list; an empty list has no such member, and no other but a token.
  private static func entries(of root: JSONCursor) throws -> JSONCursor.Elements {
    guard root.kind == .object else {
      throw DecodingError.fault("a list of documents must be a JSON object", at: [])
    }
    guard let documents = root["documents"] else {
      if root["nextPageToken"] == nil, root.members.contains(where: { _ in true }) {
        throw DecodingError.fault("the response has other members than documents", at: [])
      }
      return root.elements
    }
    guard documents.kind == .array || documents.isNull else {
      throw DecodingError.fault("the documents of a list must be a JSON array", at: [DocumentKey.documents])
    }
    return documents.elements
  }

  private static func isMissing(_ entry: JSONCursor) -> Bool {
    entry["fields"] == nil && entry["createTime"] == nil && entry["updateTime"] == nil
  }
}

/// Decodes several documents with the same buffers.
private struct Reader<Element: FieldsOnlyDocumentType> {
  let userInfo: [CodingUserInfoKey: Any]
  var wire = WireDecoder()

  mutating func document(_ json: JSONCursor, at codingPath: [any CodingKey]) throws -> Element {
    let parts = try untyped(json, at: codingPath)
    guard parts.metadata.path != nil else {
      throw DecodingError.fault("the name is not a document name", at: codingPath + [DocumentKey.name])
    }
    return try Element(
      fields: parts.fields,
      metadata: parts.metadata,
      codingPath: codingPath,
      userInfo: userInfo
    )
  }

  private mutating func untyped(
    _ json: JSONCursor,
    at codingPath: [any CodingKey]
  ) throws -> (fields: FieldMap, metadata: DocumentMetadata) {
    do throws(WireError) {
      guard json.kind == .object else { throw WireError("a document is a JSON object") }
      try json.assertUniqueOwnMembers()
      guard let name = json["name"]?.string else { throw WireError("the document has no name") }
      var metadata = DocumentMetadata(name: name)
      if let time = json["createTime"] { metadata.createTime = try Self.time(time, "createTime") }
      if let time = json["updateTime"] { metadata.updateTime = try Self.time(time, "updateTime") }
      guard let members = json["fields"] else { return (FieldMap(), metadata) }
      return (try WireError.locating(in: "fields", try wire.fields(members)), metadata)
    } catch {
      throw DecodingError.fault(error.reason, at: codingPath + error.location.map { FieldKey($0) })
    }
  }

  private static func time(_ json: JSONCursor, _ member: String) throws(WireError) -> Timestamp {
    try WireError.locating(in: member, try WireDecoder.timestamp(json, member: member))
  }
}
