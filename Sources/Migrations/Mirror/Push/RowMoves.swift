import GRDB

/// Edited rows that were given another ID, as triggers recorded it.
///
/// To the service this is the deletion of one document and the creation of another, and neither must happen without the other.
struct RowMoves: Sendable {
  /// For each document whose row was moved, the document whose row it was when it was pulled.
  private let origins: [DocumentPath: DocumentPath]

  /// - Parameter present: The documents with edited rows that were not deleted.
  init(of present: [DocumentPath], _ documents: DocumentTable, _ db: Database) throws {
    var origins: [DocumentPath: DocumentPath] = [:]
    for path in present { origins[path] = try Self.origin(of: path, documents, db)?.path }
    self.origins = origins
  }

  /// The documents whose rows were moved, and those to which they were.
  var documents: [DocumentPath] { Set(origins.keys).union(origins.values).sorted() }

  /// Why a document stays as it is, as the code of its finding.
  enum Hold: String {
    case successorRefused = "successor-refused"
    case originRefused = "origin-refused"

    var message: String {
      switch self {
      case .successorRefused: "Its row was given another id, and that document cannot be written."
      case .originRefused: "Its row had another id, and that document stays as it is."
      }
    }
  }

  /// Returns the further documents that must stay as they are because others do: those whose rows these have now, those that have
  /// these documents' rows, and so on, if rows took the places of others in turn.
  func held(by refused: [DocumentPath]) -> [DocumentPath: Hold] {
    let successors = Dictionary(grouping: origins.keys.sorted()) { origins[$0] }
    var held: [DocumentPath: Hold] = [:]
    var met = Set(refused)
    var open = refused
    func hold(_ path: DocumentPath, _ reason: Hold) {
      guard met.insert(path).inserted else { return }
      held[path] = reason
      open.append(path)
    }
    while let path = open.popLast() {
      for successor in successors[path] ?? [] { hold(successor, .originRefused) }
      if let origin = origins[path] { hold(origin, .successorRefused) }
    }
    return held
  }

  /// Returns the document that a row was pulled as, if the row has another ID now.
  static func origin(
    of path: DocumentPath,
    _ documents: DocumentTable,
    _ db: Database
  ) throws -> (path: DocumentPath, fields: [UInt8])? {
    guard try db.tableExists(MirrorTables.moves) else { return nil }
    var found: (path: DocumentPath, fields: [UInt8])?
    let sql = "SELECT origin, fields FROM \(MirrorTables.moves) WHERE path = ? AND origin <> path"
    try StatementReader(db, sql, texts: [path.string]).forEach { row in
      guard let origin = DocumentPath(row.string(0)) else { return false }
      let fields = row.type(1) == .null ? try documents.row(origin)?.fields : row.array(1)
      found = fields.map { (origin, $0) }
      return false
    }
    return found
  }

  /// Keeps the documents of moved rows until these are settled, in whatever order that happens.
  static func keepOrigins(_ documents: DocumentTable, _ db: Database) throws {
    try db.execute(sql: MirrorTables.movesCreation)
    var open: [String] = []
    try StatementReader(db, "SELECT DISTINCT origin FROM \(MirrorTables.moves) WHERE fields IS NULL", [])
      .forEach {
        open.append($0.string(0))
        return true
      }
    for origin in open {
      guard let fields = try DocumentPath(origin).flatMap({ try documents.row($0)?.fields }) else { continue }
      let keep = try StatementWriter(
        db,
        "UPDATE \(MirrorTables.moves) SET fields = ? WHERE origin = ? AND fields IS NULL"
      )
      fields.withUnsafeBytes { keep.bind(1, text: $0) }
      keep.bind(2, text: origin)
      try keep.run()
    }
  }
}
