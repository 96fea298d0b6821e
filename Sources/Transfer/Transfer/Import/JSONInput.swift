import FirestoreModels
import Schema
import Tables

/// The documents of a JSON file in any form: REST Documents, by themselves or in responses of the service, or plain
/// objects.
///
/// Documents are counted from 1, because a file may have all of them on one line.
final class JSONInput: DocumentInput {
  private let source: ImportSource
  private let options: TableOptions
  private let collection: CollectionPath?
  private let parser = JSONParser(keepsNumbers: true)
  private let form: JSONForm
  private var decoder = WireDecoder(unknownMembers: .refused)
  private var values: JSONValues
  private var placement: CollectionPlacement?
  private var number = 0
  /// Whether the members of the last object have been looked at although it is no document.
  private var areMembersKnown = false
  /// A document, and the members that could not be read.
  private typealias ReadDocument = (document: RawDocument, unread: [PlainJSON.UnreadField])
  /// The remaining documents of the last value, in reverse.
  private var pending: [ReadDocument] = []
  private var plain: [CollectionPath: PlainJSON] = [:]
  let headings = MetHeadings()

  /// Opens a file.
  ///
  /// - Parameter collection: The collection that REST Documents are put into; nil to go by their names.
  init(_ source: ImportSource, options: TableOptions, into collection: CollectionPath?) throws(Failure) {
    self.source = source
    self.options = options
    self.collection = collection
    let readsIDs = options.idColumn == nil && source.document == nil
    form =
      if let given = options.jsonForm { given } else if readsIDs {
        try JSONForm(ofFile: source.path, via: options.files)
      } else { .documents }
    values = try JSONValues(source.path, readsIDs: readsIDs, form: form, via: options.files)
  }

  var position: Int { values.position }

  var reading: String { "JSON" }

  var notices: [String] {
    (values.hasMore
      ? ["The response says that there are more documents (nextPageToken): it is not all of them."] : [])
      + headings.notices + headings.dateNotices(in: options.isZoneGiven ? nil : options.timeZone)
  }

  var warnings: [String] { source.isExported ? [] : headings.warnings }

  func skip(through number: Int) throws(Failure) {
    while self.number < number {
      if try next() != nil { continue }
      throw .malformed(source.label, "it has fewer than \(number) documents")
    }
  }

  func next() throws(Failure) -> DocumentRow? {
    while true {
      if let (read, unread) = pending.popLast() {
        var document = read
        number += 1
        (document.createTime, document.updateTime) = (nil, nil)
        if let violation = PathLimits.violations(of: document.path).first { return row(violation.message) }
        return DocumentRow(
          number: number,
          content: .document(.decoded(document)),
          faults: unread.map { fault($0.error.description) },
          skipped: unread.map(\.field)
        )
      }
      guard try values.next() else { return nil }
      areMembersKnown = false
      do throws(WireError) {
        pending = try parser.parse(values.bytes) { json throws(WireError) in try documents(json) }.reversed()
      } catch {
        number += 1
        if !areMembersKnown { headings.isComplete = false }
        return row(error.description)
      }
    }
  }

  /// The row of what is no document.
  private func row(_ cause: String) -> DocumentRow {
    DocumentRow(number: number, faults: [fault(cause)])
  }

  private func fault(_ cause: String) -> RowFault {
    let place = "document \(number) (line \(values.line)): \(cause)"
    let failure = Failure(.inputMalformed, "read", path: source.label, cause: place)
    return RowFault(row: number, expected: cause, failure: failure)
  }

  // MARK: Documents

  /// Returns the document of a value and those below it; none for a query response that has only a read time.
  private func documents(_ json: JSONCursor) throws(WireError) -> [ReadDocument] {
    guard json.kind == .object else { throw WireError("expected an object") }
    if let path = source.document { return try placed(plainDocuments(json, path)) }
    if values.key == nil, json["__name__"] == nil {
      if Self.isQueryAnswer(json) {
        guard let inner = json["document"] else { return [] }
        return [(try placed(decoder.document(inner, in: nil)), [])]
      }
      if json["name"]?.string?.utf8.contains(UInt8(ascii: "/")) ?? false {
        return [(try placed(decoder.document(json, in: nil)), [])]
      }
    }
    if let name = values.collection {
      guard let root = CollectionPath(name), root.parent == nil else {
        throw WireError("expected the id of a collection")
      }
      return try placed(plainDocuments(json, DocumentPath(root, try id(of: json))))
    }
    guard let collection = source.collection else {
      throw WireError("it is no REST Document; name the collection of plain objects with --collection")
    }
    let path: DocumentPath
    do throws(WireError) {
      path = try self.path(of: json, in: collection)
    } catch {
      // An object without an id may have the members that options name, all the same.
      areMembersKnown = (try? plainDocuments(json, DocumentPath(collection, "-"))) != nil
      throw error
    }
    return try plainDocuments(json, path)
  }

  /// Returns a plain object as a document, together with the documents of the collections in it.
  private func plainDocuments(_ json: JSONCursor, _ path: DocumentPath) throws(WireError) -> [ReadDocument] {
    let kind = path.collection.pattern
    var reader = plain[kind] ?? PlainJSON(kind, options, below: form.below, noting: headings)
    plain[kind] = reader
    reader.isInTree = source.document != nil
    // If the user names the member with the ID, the file comes from another program.
    reader.readsMarks = options.idColumn != nil || json["__name__"] == nil
    var unread: [PlainJSON.UnreadField] = []
    var fields = try reader.fields(json, unread: &unread)
    fields["__name__"] = nil
    if let name = idMember(of: json), let declared = options.schema.collection(path.collection),
      declared.field(FieldPath(field: name)) == nil
    {
      fields[name] = nil
    }
    var documents: [ReadDocument] = [(RawDocument(path: path, fields: fields), unread)]
    guard let below = form == .documents ? json["__collections__"] : json["subCollection"] else {
      return documents
    }
    for (name, content) in below.members {
      let collection = try collection(named: name.string, below: path)
      for (id, inner) in content.members {
        documents += try plainDocuments(inner, DocumentPath(collection, checked(id.string)))
      }
    }
    return documents
  }

  /// Returns the collection below a document, which firestore-export-import names by its path and others by its ID.
  private func collection(named name: String, below path: DocumentPath) throws(WireError) -> CollectionPath {
    switch form {
    case .documents:
      if !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) {
        try assertNoSpaces(around: name, at: [form.below])
        return CollectionPath(path, name)
      }
      throw WireError("expected the id of a collection", at: [form.below])
    case .collections:
      if let collection = CollectionPath(name), collection.parent == path { return collection }
      throw WireError("expected the path of a collection below \(path)", at: [form.below])
    }
  }

  /// Whether an object is an element of a runQuery response; one with any other member is a plain object.
  private static func isQueryAnswer(_ json: JSONCursor) -> Bool {
    let known = ["document", "readTime", "skippedResults", "transaction", "done"]
    return Timestamp(json["readTime"]?.string ?? "") != nil
      && json.members.allSatisfy { member in known.contains { member.name.string.isIdentical(to: $0) } }
  }

  private func path(of json: JSONCursor, in collection: CollectionPath) throws(WireError) -> DocumentPath {
    let isNamed = options.idColumn.map { $0.isIdentical(to: "__name__") } ?? true
    guard values.key == nil, isNamed, let name = json["__name__"] else {
      let id = try id(of: json)
      if let name = json["__name__"],
        name.string.map({ !(DocumentPath($0)?.id ?? $0).isIdentical(to: id) }) ?? true
      {
        throw WireError("it is another id than '\(PathLimits.shortened(id))'", at: ["__name__"])
      }
      return DocumentPath(collection, id)
    }
    guard var text = name.string else { throw WireError("expected an id or a path", at: ["__name__"]) }
    if options.flattens, let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) {
      text = String(text[text.utf8.index(after: slash)...])
    }
    guard let path = collection.document(named: text, readsPaths: true) else {
      throw WireError("expected an id, or a path below \(collection)", at: ["__name__"])
    }
    if !source.isExported {
      for segment in text.parts(at: "/") {
        try assertNoSpaces(around: segment, at: ["__name__"])
      }
    }
    return path
  }

  /// The member with the ID of a plain object, by option or by the schema.
  private func idMember(of json: JSONCursor) -> String? {
    if let given = options.idColumn { return Self.member(given, of: json) }
    if values.key != nil || json["__name__"] != nil { return nil }
    let declared = source.collection.flatMap { options.schema.collection($0)?.imports.reading.idColumn }
    return declared.map { Self.member($0, of: json) }
  }

  /// The name as it is spelled in an object: if no member has exactly that name, that of the only one that looks the same.
  private static func member(_ name: String, of json: JSONCursor) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name }
    // Swift's equality treats composed and decomposed accents as the same.
    let alike = json.members.map { $0.name.string }.filter { $0 == name }
    return alike.count == 1 ? alike[0] : name
  }

  private func id(of json: JSONCursor) throws(WireError) -> String {
    if let key = values.key { return try checked(key) }
    guard let name = idMember(of: json) else {
      throw WireError("it has no id; name the member that has it with --id-column\(idAdvice(json))")
    }
    for (member, value) in json.members where member.string.isIdentical(to: name) {
      if let text = value.string { return try checked(text) }
      if let number = value.integer { return String(number) }
      if let id = try PlainJSON.id(value) { return try checked(id) }
      let found = "and found \(Self.name(of: value.kind))"
      throw WireError("expected an id, which is a text or a whole number of 64 bits, \(found)", at: [name])
    }
    let near = name.nearest(of: json.members.map { $0.name.string })
    let meant = near.map { "; did you mean \(PathLimits.shortened($0))?" } ?? listAdvice(json)
    throw WireError("it has no member \(name) with the id\(meant)")
  }

  private static func name(of kind: JSONCursor.Kind) -> String {
    switch kind {
    case .object: "a map"
    case .array: "an array"
    case .string: "a text"
    case .integer: "a larger one"
    case .double: "a number with a point or an exponent"
    case .boolean: "a truth value"
    case .null: "null"
    }
  }

  /// Names the member that probably has the id, or else as many members as there is room for; or says how to extract a
  /// list.
  private func idAdvice(_ json: JSONCursor) -> String {
    let list = listAdvice(json)
    if !list.isEmpty { return list }
    let names = json.members.map { $0.name.string }
    if let own = names.first(where: { ["id", "_id"].contains($0.lowercased()) }) { return " \(own)" }
    let shown = names.prefix(8).map { PathLimits.shortened($0) }.joined(separator: ", ")
    return names.isEmpty ? "" : "; its members are \(shown)\(names.count > 8 ? " and others" : "")"
  }

  /// How to extract a list of objects from an object, the form in which most services respond; empty if there is none.
  private func listAdvice(_ json: JSONCursor) -> String {
    let list = json.members.first { member in
      member.value.kind == .array && member.value.elements.first { _ in true }?.kind == .object
    }
    guard let name = list?.name.string,
      name.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "_") })
    else { return "" }
    return "; its member \(name) is a list of objects, which 'jq .\(name) FILE > LIST.json' takes out"
  }

  private func checked(_ id: String) throws(WireError) -> String {
    if id.isEmpty { throw WireError("expected an id, and found an empty text") }
    if id.utf8.contains(UInt8(ascii: "/")) { throw WireError("expected an id without /") }
    try assertNoSpaces(around: id)
    return id
  }

  private func assertNoSpaces(around id: String, at place: [String] = []) throws(WireError) {
    if options.keepsSpaces ?? false { return }
    do throws(CellValues.Fault) {
      try CellValues.assertNoSpaces(around: id)
    } catch {
      throw WireError("expected \(error.expected)", at: place)
    }
  }

  private func placed(_ documents: [ReadDocument]) throws(WireError) -> [ReadDocument] {
    try documents.map { read throws(WireError) in (try placed(read.document), read.unread) }
  }

  private func placed(_ document: RawDocument) throws(WireError) -> RawDocument {
    var document = document
    (document.createTime, document.updateTime) = (nil, nil)
    guard let collection else { return document }
    let placement =
      self.placement
      ?? (options.flattens
        ? CollectionPlacement(flattening: collection)
        : CollectionPlacement(collection, takingOver: source.firstDocument ?? document.path))
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
