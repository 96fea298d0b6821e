/// A program's answer about a document; question and answer are one line of JSON each.
enum ProgramAnswer: Sendable, Equatable {
  case same
  /// The document with its new fields, and what is to be noted about them.
  case fields(FieldMap, notes: [Finding] = [])
  /// The document in plain JSON with a field whose value cannot be known or stored, and why.
  case unclear(FieldPath, reason: String)
  /// Leave the document as it is, with a finding.
  case left(Finding.Kind, reason: String)
  /// Delete the document; `isNamed` is whether the answer names it, so that it cannot be the answer about another.
  case delete(isNamed: Bool)

  /// The maximum length of a reason, in bytes.
  private static let longestReason = 500

  /// Returns the line to send for a document.
  static func question(_ document: RawDocument) -> [UInt8] {
    JSONWriter.object { json in
      json.key("fields")
      json.fields(document.fields)
      json.member("name", document.path.string)
    }
  }

  /// - Parameters:
  ///   - line: The answer.
  ///   - document: The document that was sent.
  ///   - database: The database that full names may refer to.
  ///   - plain: Reads the answer if documents are sent as plain JSON.
  /// - Throws: ``WireError`` if it is not an answer about the document.
  init(
    _ line: [UInt8],
    about document: RawDocument,
    in database: DatabaseName,
    plain: @autoclosure () -> PlainDocument?
  ) throws(WireError) {
    self = try JSONParser.decode(line) { json, decoder throws(WireError) in
      guard json.kind == .object else { throw WireError("it is no JSON object") }
      try json.assertUniqueOwnMembers()
      if PlainDocument.isDocument(json), var plain = plain() {
        let fields = try plain.fields(json)
        if let (field, reason) = plain.unclear { return .unclear(field, reason: reason) }
        return try Self.document(fields, document.path, notes: plain.notes)
      }
      if let fields = json["fields"] {
        // A program that returns nothing means no empty document.
        if fields.isNull { throw WireError("its 'fields' are null") }
        return try Self.document(json, &decoder, about: document, in: database)
      }
      var answer: ProgramAnswer?
      var isNamed = false
      for (name, value) in json.members {
        if name == "name" {
          try Self.check(json, &decoder, names: document, in: database)
          isNamed = true
        } else if answer != nil {
          throw WireError("it says two things")
        } else {
          answer = try Self.short(name.string, value)
        }
      }
      guard let answer else { throw WireError("it has no 'fields'") }
      return answer == .delete(isNamed: false) ? .delete(isNamed: isNamed) : answer
    }
  }

  private static func short(_ name: String, _ value: JSONCursor) throws(WireError) -> ProgramAnswer {
    switch name {
    case "same", "delete":
      guard value.boolean == true else { throw WireError("it is not true", at: [name]) }
      return name == "same" ? .same : .delete(isNamed: false)
    case "skip": return .left(.note, reason: try reason(value, name))
    case "review": return .left(.review, reason: try reason(value, name))
    case "reject": return .left(.reject, reason: try reason(value, name))
    default: throw WireError("there is no answer '\(PlainText.tidied(name))'")
    }
  }

  private static func reason(_ value: JSONCursor, _ name: String) throws(WireError) -> String {
    guard let text = value.string, !PlainText.isBlank(text), text.utf8.count <= longestReason else {
      throw WireError("a reason is a text of at most \(longestReason) bytes", at: [name])
    }
    return PlainText.tidied(text)
  }

  private static func document(
    _ json: JSONCursor,
    _ decoder: inout WireDecoder,
    about document: RawDocument,
    in database: DatabaseName
  ) throws(WireError) -> ProgramAnswer {
    decoder.unknownMembers = .refused
    let answered = try decoder.document(json, in: database)
    guard answered.path == document.path else { throw WireError(other(answered.path)) }
    return try self.document(answered.fields, answered.path)
  }

  private static func document(
    _ fields: FieldMap,
    _ path: DocumentPath,
    notes: [Finding] = []
  ) throws(WireError) -> ProgramAnswer {
    let fields = FieldMap(fields.entries.map { .init(name: $0.name, value: $0.value.asStored) })
    let made = RawDocument(path: path, fields: fields)
    if let violation = DocumentLimits.violations(of: made).first { throw WireError(violation.message) }
    return .fields(fields, notes: notes)
  }

  private static func check(
    _ json: JSONCursor,
    _ decoder: inout WireDecoder,
    names document: RawDocument,
    in database: DatabaseName
  ) throws(WireError) {
    let named = try decoder.document(json, in: database).path
    if named != document.path { throw WireError(other(named)) }
  }

  private static func other(_ path: DocumentPath) -> String { "it is about \(path)" }
}
