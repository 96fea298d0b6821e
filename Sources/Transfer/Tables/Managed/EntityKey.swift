import FirestoreModels

/// The key of an entity (application, database and path), as in a document or a reference.
///
/// It borrows the bytes.
struct EntityKey {
  private var app = UnsafeRawBufferPointer(start: nil, count: 0)
  private var databaseID = UnsafeRawBufferPointer(start: nil, count: 0)
  private var path = ""

  /// The field numbers of the two encodings, which are otherwise alike.
  private enum Numbers {
    static let app = 13, path = 14, nameSpace = 20, database = 23
    static let group = 1, collection = 2
    static let groupInValue = 14, collectionInValue = 15
  }

  /// Whether it is empty, as the key of a map is.
  var isEmpty: Bool { app.isEmpty && databaseID.isEmpty && path.isEmpty }

  func document() throws(WireError) -> DocumentPath {
    guard let document = DocumentPath(path) else { throw WireError("its key has no path") }
    return document
  }

  /// The prefixes of the project: of production applications, and of the emulator, older versions of which write none.
  private static let partitions = ["s~", "e~", "dev~"]

  /// Returns the database.
  ///
  /// Any other partition is refused rather than guessed, because its project would be mistaken for one of that name.
  private func database() throws(WireError) -> DatabaseName {
    let (app, databaseID) = (try app.text(), try databaseID.text())
    let partition = Self.partitions.first { app.utf8.starts(with: $0.utf8) } ?? ""
    let project = String(app.dropFirst(partition.count))
    let id = databaseID.isEmpty ? "(default)" : databaseID
    guard DatabaseName.isPart(project), !project.contains("~"), DatabaseName.isPart(id) else {
      throw WireError("its key is of no project ('\(PathLimits.shortened(app))')")
    }
    return DatabaseName(project: project, database: id)
  }

  private mutating func take(_ field: ProtoReader.Field) throws(WireError) {
    guard case .bytes(let bytes) = field.content else { throw Self.unknown(field) }
    switch field.number {
    case Numbers.app: app = bytes
    case Numbers.database: databaseID = bytes
    case Numbers.nameSpace where bytes.isEmpty: break
    case Numbers.nameSpace: throw WireError("its key has a name space, which Firestore does not have")
    default: throw Self.unknown(field)
    }
  }

  private static func unknown(_ field: ProtoReader.Field) -> WireError {
    WireError("its key has a field \(field.number), which is not known")
  }
}

extension EntityKey {
  /// Reads keys, creating the database that they have in common only once.
  struct Reader {
    /// The path of the key being read.
    private var path: [UInt8] = []
    /// The database that was returned last, and how its keys name it.
    private var database: DatabaseName?
    private var (app, databaseID): ([UInt8], [UInt8]) = ([], [])

    /// Reads the key of an entity.
    mutating func key(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> EntityKey {
      var reader = ProtoReader(bytes)
      return try key(group: nil, of: &reader)
    }

    /// Reads the key of a reference, which is a group.
    mutating func key(group: Int?, of reader: inout ProtoReader) throws(WireError) -> EntityKey {
      var key = EntityKey()
      path.removeAll(keepingCapacity: true)
      while let field = try reader.next(in: group) {
        switch (field.number, field.content) {
        case (Numbers.path, .bytes(let path)) where group == nil: try addElements(of: path)
        case (Numbers.groupInValue, .group) where group != nil:
          try addElement(&reader, Numbers.groupInValue, first: Numbers.collectionInValue)
        default: try key.take(field)
        }
      }
      key.path = try text()
      return key
    }

    mutating func database(of key: EntityKey) throws(WireError) -> DatabaseName {
      if let database, app.elementsEqual(key.app), databaseID.elementsEqual(key.databaseID) {
        return database
      }
      let database = try key.database()
      (app, databaseID) = (Array(key.app), Array(key.databaseID))
      self.database = database
      return database
    }

    private func text() throws(WireError) -> String {
      try path.span.withUnsafeBytes { bytes throws(WireError) in try bytes.text() }
    }

    private mutating func addElements(of path: UnsafeRawBufferPointer) throws(WireError) {
      var reader = ProtoReader(path)
      while let element = try reader.next() {
        guard element.number == Numbers.group, case .group = element.content else {
          throw EntityKey.unknown(element)
        }
        try addElement(&reader, Numbers.group, first: Numbers.collection)
      }
    }

    /// Adds an element of the path: a collection and a document in it.
    private mutating func addElement(
      _ reader: inout ProtoReader,
      _ group: Int,
      first: Int
    ) throws(WireError) {
      var (collection, name): (UnsafeRawBufferPointer?, UnsafeRawBufferPointer?)
      var number: Int64?
      while let field = try reader.next(in: group) {
        switch (field.number - first, field.content) {
        case (0, .bytes(let bytes)): collection = bytes
        case (1, .number(let bits)): number = Int64(bitPattern: bits)
        case (2, .bytes(let bytes)): name = bytes
        default: throw EntityKey.unknown(field)
        }
      }
      try add(collection)
      switch (number, name) {
      case (let number?, nil): path.append(contentsOf: "/__id\(number)__".utf8)
      case (nil, let name?): try add(name)
      default: throw Self.incomplete
      }
    }

    private mutating func add(_ segment: UnsafeRawBufferPointer?) throws(WireError) {
      guard let segment, !segment.isEmpty, !segment.contains(UInt8(ascii: "/")) else { throw Self.incomplete }
      if !path.isEmpty { path.append(UInt8(ascii: "/")) }
      path.append(contentsOf: segment)
    }

    private static let incomplete = WireError("its key has an element without a collection or an id")
  }
}
