import GRDB

/// Edited rows that were given another ID, as triggers recorded it.
///
/// To the service this is the deletion of one document and the creation of another, and neither must happen without the other.
struct RowMoves: Sendable {
  /// For each document whose row was moved, the document whose row it was when it was pulled.
  private let origins: [DocumentPath: DocumentPath]
  /// The documents that are written together or not at all, ordered by path, by each of them.
  ///
  /// Each group is a chain of rows that took each other's places.
  let groups: [DocumentPath: [DocumentPath]]

  /// - Parameter present: The documents with edited rows that were not deleted.
  init(of present: [DocumentPath], _ documents: DocumentTable, _ db: Database) throws {
    var origins: [DocumentPath: DocumentPath] = [:]
    for path in present { origins[path] = try Self.origin(of: path, documents, db)?.path }
    self.origins = origins
    groups = Self.groups(of: origins)
  }

  private static func groups(of origins: [DocumentPath: DocumentPath]) -> [DocumentPath: [DocumentPath]] {
    var neighbours: [DocumentPath: [DocumentPath]] = [:]
    for (path, origin) in origins {
      neighbours[path, default: []].append(origin)
      neighbours[origin, default: []].append(path)
    }
    var groups: [DocumentPath: [DocumentPath]] = [:]
    for start in neighbours.keys where groups[start] == nil {
      var (group, open): (Set<DocumentPath>, [DocumentPath]) = ([start], [start])
      while let path = open.popLast() {
        for other in neighbours[path] ?? [] where group.insert(other).inserted { open.append(other) }
      }
      let ordered = group.sorted()
      for path in ordered { groups[path] = ordered }
    }
    return groups
  }

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

  /// Returns the further documents of groups that must stay as they are because others do: those whose rows these have now, those
  /// that have these documents' rows, and so on.
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
    let sql = "SELECT origin, fields FROM \(MirrorTables.moves) WHERE path = ? AND origin <> path"
    return try StatementReader(db, sql, texts: [path.string]).first { row in
      guard let origin = DocumentPath(row.string(0)) else { return nil }
      let fields = row.type(1) == .null ? try documents.row(origin)?.fields : row.array(1)
      return fields.map { (origin, $0) }
    } ?? nil
  }

  /// Keeps the documents of moved rows until these are settled, in whatever order that happens.
  static func keepOrigins(_ documents: DocumentTable, _ db: Database) throws {
    try db.execute(sql: MirrorTables.movesCreation)
    let open = "SELECT DISTINCT origin FROM \(MirrorTables.moves) WHERE fields IS NULL"
    for origin in try StatementReader(db, open, []).compactMap({ $0.string(0) }) {
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
