import Files
import FirestoreModels
import Schema
import Tables

/// The documents of a JSON file in any form: REST Documents, alone or in responses of the service, and plain objects.
///
/// They are counted from 1; a file may have all of them on one line.
final class JSONInput: DocumentInput {
  private let source: ImportSource
  private let options: TableOptions
  private let collection: CollectionPath?
  private let plain: PlainJSON?
  private let parser = JSONParser(keepsNumbers: true)
  private var decoder = WireDecoder(unknownMembers: .refused)
  private var values: JSONValues
  private var placement: CollectionPlacement?
  private var number = 0

  /// Opens a file.
  ///
  /// - Parameter collection: The collection that REST Documents are put into; nil for the one that their names say.
  init(_ source: ImportSource, options: TableOptions, into collection: CollectionPath?) throws(Failure) {
    self.source = source
    self.options = options
    self.collection = collection
    plain = source.collection.map { PlainJSON($0, options) }
    values = try JSONValues(source.path, readsIDs: options.idColumn == nil, via: options.files)
  }

  var position: Int { values.position }

  var reading: String { "JSON" }

  var notices: [String] {
    values.hasMore
      ? ["The response says that there are more documents (nextPageToken): it is not all of them."] : []
  }

  func skip(through number: Int) throws(Failure) {
    while self.number < number {
      guard try advance() else {
        throw Failure(
          .inputMalformed,
          "read",
          path: source.label,
          cause: "it has fewer than \(number) documents"
        )
      }
    }
  }

  private func advance() throws(Failure) -> Bool {
    guard try values.next() else { return false }
    number += 1
    return true
  }

  func rejected(_ reason: String) -> RejectedRow? { nil }

  func next() throws(Failure) -> DocumentRow? {
    while try advance() {
      let found: RawDocument?
      do throws(WireError) {
        found = try parser.parse(values.bytes) { json throws(WireError) in try document(json) }
      } catch {
        return fault(error.description)
      }
      // An answer of a query that has found nothing has only its time.
      guard let document = found else { continue }
      if let violation = PathLimits.violations(of: document.path).first { return fault(violation.message) }
      return DocumentRow(number: number, content: .document(.decoded(document)))
    }
    return nil
  }

  private func fault(_ cause: String) -> DocumentRow {
    let place = "document \(number) (line \(values.line)): \(cause)"
    let failure = Failure(.inputMalformed, "read", path: source.label, cause: place)
    return DocumentRow(number: number, faults: [RowFault(row: number, expected: cause, failure: failure)])
  }

  // MARK: Documents

  private func document(_ json: JSONCursor) throws(WireError) -> RawDocument? {
    if values.key == nil, json["__name__"] == nil {
      if Self.isQueryAnswer(json) {
        guard let inner = json["document"] else { return nil }
        return try placed(decoder.document(inner, in: nil))
      }
      if json["name"]?.string?.utf8.contains(UInt8(ascii: "/")) ?? false {
        return try placed(decoder.document(json, in: nil))
      }
    }
    guard let plain, let collection = source.collection else {
      throw WireError("it is no REST Document; name the collection of plain objects with --collection")
    }
    let path = try path(of: json, in: collection)
    var fields = try plain.fields(json)
    fields["__name__"] = nil
    if let name = options.idColumn, let declared = options.schema.collection(collection),
      declared.field(FieldPath(field: name)) == nil
    {
      fields[name] = nil
    }
    return RawDocument(path: path, fields: fields)
  }

  /// Whether an object is an element of an answer of runQuery; one with any other member is somebody's own.
  private static func isQueryAnswer(_ json: JSONCursor) -> Bool {
    let known = ["document", "readTime", "skippedResults", "transaction", "done"]
    return Timestamp(json["readTime"]?.string ?? "") != nil
      && json.members.allSatisfy { member in known.contains { member.name.string.isIdentical(to: $0) } }
  }

  private func path(of json: JSONCursor, in collection: CollectionPath) throws(WireError) -> DocumentPath {
    guard values.key == nil, options.idColumn == nil, let name = json["__name__"] else {
      return DocumentPath(collection, try id(of: json))
    }
    guard var text = name.string else { throw WireError("expected an id or a path", at: ["__name__"]) }
    if options.flattens { text = DocumentPath(text)?.id ?? text }
    guard let path = collection.document(named: text, readsPaths: true) else {
      throw WireError("expected an id, or a path below \(collection)", at: ["__name__"])
    }
    return path
  }

  private func id(of json: JSONCursor) throws(WireError) -> String {
    if let key = values.key { return try checked(key) }
    guard let name = options.idColumn else {
      throw WireError("it has no id; name the member that has it with --id-column")
    }
    for (member, value) in json.members where member.string.isIdentical(to: name) {
      if let text = value.string { return try checked(text) }
      if let number = value.integer { return String(number) }
      throw WireError("expected an id without /", at: [name])
    }
    throw WireError("it has no member \(name) with the id")
  }

  private func checked(_ id: String) throws(WireError) -> String {
    if id.isEmpty || id.utf8.contains(UInt8(ascii: "/")) { throw WireError("expected an id without /") }
    if options.keepsSpaces { return id }
    do throws(CellValues.Fault) {
      try CellValues.assertNoSpaces(around: id)
    } catch {
      throw WireError("expected \(error.expected)")
    }
    return id
  }

  private func placed(_ document: RawDocument) throws(WireError) -> RawDocument {
    var document = document
    (document.createTime, document.updateTime) = (nil, nil)
    guard let collection else { return document }
    let placement =
      self.placement
      ?? (options.flattens
        ? CollectionPlacement(flattening: collection)
        : CollectionPlacement(collection, takingOver: document.path))
    self.placement = placement
    guard let path = placement.path(of: document.path) else {
      throw WireError(
        "it is not in \(placement.origin?.string ?? ""), whose place --collection takes, nor below it"
      )
    }
    document.path = path
    return document
  }
}
