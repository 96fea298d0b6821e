import Files
import GRDB

/// Rows that were given another ID: a new row counts as moved from one deleted in the same push if it has the same times, as set
/// by the service, or the same other cells.
///
/// To the service this is the deletion of one document and the creation of another, and neither must happen without the other.
struct RowMoves: Sendable {
  /// For each first document of a move, whether the new documents cannot be created.
  typealias Waiting = [DocumentPath: Bool]

  private var successors: [DocumentPath: [DocumentPath]] = [:]
  private var timed: Set<DocumentPath> = []

  init(
    _ gone: [DocumentPath],
    _ new: [DocumentPath],
    _ layout: MirrorLayout,
    _ schema: DatabaseSchema,
    _ database: DatabaseName,
    _ db: Database
  ) throws {
    if gone.isEmpty || new.isEmpty { return }
    var byMark: [Mark: [DocumentPath]] = [:]
    var marks: [(path: DocumentPath, marks: [Mark])] = []
    for path in new {
      guard let table = layout.table(of: path.collection),
        let row = try MirrorEdits.row(path, table, db)
      else { continue }
      let declared = schema.collection(path.collection) ?? table.inferredTimes
      let image = RowImage(cells: Array(row.dropLast()), other: row.last.flatMap(RowEdit.other) ?? FieldMap())
      let own = try Self.marks(of: image, table, declared)
      for mark in own { byMark[mark, default: []].append(path) }
      marks.append((path, own))
    }
    let documents = try DocumentTable(db, database)
    var writer = try RowWriter(layout)
    var cells = try SQLCells()
    var times: Set<Mark> = []
    for path in gone {
      guard let table = layout.table(of: path.collection), let row = try documents.row(path) else { continue }
      let declared = schema.collection(path.collection) ?? table.inferredTimes
      let image = RowImage(try writer.fields(row.fields), in: table, &cells)
      let own = try Self.marks(of: image, table, declared)
      times.formUnion(own.filter(\.isOfTimes))
      // The other cells identify a row better than times, which many documents may share.
      if let found = own.lazy.compactMap({ byMark[$0] }).first { successors[path] = found }
    }
    for (path, own) in marks where own.contains(where: { times.contains($0) }) { timed.insert(path) }
  }

  /// Returns the documents to which a document's row was moved; several if they cannot be told apart.
  func successors(of path: DocumentPath) -> [DocumentPath] { successors[path] ?? [] }

  /// The number of documents to which rows were moved.
  var count: Int {
    Dictionary(successors.values.compactMap { all in all.first.map { ($0, all.count) } }) { max($0, $1) }
      .values.reduce(0, +)
  }

  /// Whether a new row has the times of a deleted row.
  func hasTimesOfAnother(_ path: DocumentPath) -> Bool { timed.contains(path) }

  /// What a row and the one that it was moved from have in common.
  private struct Mark: Hashable {
    var table: String
    var isOfTimes: Bool
    /// The SHA-256 of the cells, so that large rows are not kept in memory.
    var digest: String

    init(_ table: TableLayout, isOfTimes: Bool = false, _ cells: String) throws(Failure) {
      (self.table, self.isOfTimes) = (table.name, isOfTimes)
      digest = try SHA256Digest.checksum(of: Array(cells.utf8))
    }
  }

  /// Returns the marks of a row: all cells except for its times and its ID, and the times, if it has any.
  private static func marks(
    of image: RowImage,
    _ table: TableLayout,
    _ declared: CollectionSchema
  ) throws(Failure) -> [Mark] {
    var (times, rest) = ([SQLCell](), [SQLCell]())
    for (cell, column) in zip(image.cells, table.columns) {
      if declared.serverTimes.contains(column.field) {
        times.append(cell)
      } else if column.field != declared.idField {
        rest.append(cell)
      }
    }
    var marks = [try Mark(table, "\(rest) \(image.other)")]
    if times.contains(where: { $0 != .null }) { marks.append(try Mark(table, isOfTimes: true, "\(times)")) }
    return marks
  }
}
