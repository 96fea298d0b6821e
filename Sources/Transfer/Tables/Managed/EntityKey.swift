import FirestoreModels

/// The key of an entity: application, database and path, as a document has it and a reference.
struct EntityKey {
  private(set) var app = ""
  private var databaseID = ""
  private(set) var path = ""

  /// An element of the path: the collection and the document in it.
  private struct Element {
    var collection: String?
    var number: Int64?
    var name: String?
  }

  /// The field numbers of the two encodings, which are otherwise alike.
  private enum Numbers {
    static let app = 13, path = 14, nameSpace = 20, database = 23
    static let group = 1, collection = 2
    static let groupInValue = 14, collectionInValue = 15
  }

  /// Reads the key of an entity.
  init(_ bytes: UnsafeRawBufferPointer) throws(WireError) {
    var reader = ProtoReader(bytes)
    while let field = try reader.next() {
      if field.number == Numbers.path, case .bytes(let path) = field.content {
        var elements = ProtoReader(path)
        while let element = try elements.next() {
          guard element.number == Numbers.group, case .group = element.content else {
            throw Self.unknown(element)
          }
          try add(Self.element(&elements, Numbers.group, first: Numbers.collection))
        }
      } else {
        try take(field)
      }
    }
  }

  /// Reads the key of a reference, which is a group.
  init(group: Int, of reader: inout ProtoReader) throws(WireError) {
    while let field = try reader.next(in: group) {
      if field.number == Numbers.groupInValue, case .group = field.content {
        try add(Self.element(&reader, Numbers.groupInValue, first: Numbers.collectionInValue))
      } else {
        try take(field)
      }
    }
  }

  /// Whether there is nothing in it, as in that of a map.
  var isEmpty: Bool { app.isEmpty && databaseID.isEmpty && path.isEmpty }

  /// The database, of the production's applications (`s~project`) and of the emulator's (`dev~project`).
  func database() throws(WireError) -> DatabaseName {
    let tilde = app.utf8.firstIndex(of: UInt8(ascii: "~"))
    let project = tilde.map { String(app[app.utf8.index(after: $0)...]) } ?? app
    let id = databaseID.isEmpty ? "(default)" : databaseID
    guard DatabaseName.isPart(project), DatabaseName.isPart(id) else {
      throw WireError("its key is of no project ('\(PathLimits.shortened(app))')")
    }
    return DatabaseName(project: project, database: id)
  }

  func document() throws(WireError) -> DocumentPath {
    guard let document = DocumentPath(path) else { throw WireError("its key has no path") }
    return document
  }

  private mutating func take(_ field: ProtoReader.Field) throws(WireError) {
    guard case .bytes(let bytes) = field.content else { throw Self.unknown(field) }
    switch field.number {
    case Numbers.app: app = try bytes.text()
    case Numbers.database: databaseID = try bytes.text()
    case Numbers.nameSpace where bytes.isEmpty: break
    case Numbers.nameSpace: throw WireError("its key has a name space, which Firestore does not have")
    default: throw Self.unknown(field)
    }
  }

  private static func element(
    _ reader: inout ProtoReader,
    _ group: Int,
    first: Int
  ) throws(WireError) -> Element {
    var element = Element()
    while let field = try reader.next(in: group) {
      switch (field.number - first, field.content) {
      case (0, .bytes(let bytes)): element.collection = try bytes.text()
      case (1, .number(let number)): element.number = Int64(bitPattern: number)
      case (2, .bytes(let bytes)): element.name = try bytes.text()
      default: throw unknown(field)
      }
    }
    return element
  }

  private mutating func add(_ element: Element) throws(WireError) {
    let id: String? =
      switch (element.number, element.name) {
      case (let number?, nil): "__id\(number)__"
      case (nil, let name?): name
      default: nil
      }
    guard let collection = element.collection, let id, Self.isSegment(collection), Self.isSegment(id) else {
      throw WireError("its key has an element without a collection or an id")
    }
    for segment in [collection, id] {
      if !path.isEmpty { path += "/" }
      path += segment
    }
  }

  private static func isSegment(_ text: String) -> Bool {
    !text.isEmpty && !text.utf8.contains(UInt8(ascii: "/"))
  }

  private static func unknown(_ field: ProtoReader.Field) -> WireError {
    WireError("its key has a field \(field.number), which is not known")
  }
}
