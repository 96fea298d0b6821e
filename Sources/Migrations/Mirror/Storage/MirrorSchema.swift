import Configuration
import FirestoreREST
import GRDB
import Logging
import Runs
import Tables

/// Creates the objects that belong to the tables of a mirror, in the current transaction.
enum MirrorSchema {
  static func create(_ table: TableLayout, _ layout: MirrorLayout, _ db: Database) throws {
    for sql in table.creation(in: layout) { try db.execute(sql: sql) }
  }

  /// Creates the indexes and triggers of a table that is already filled.
  static func finish(_ table: TableLayout, _ layout: MirrorLayout, _ db: Database) throws {
    for sql in table.indexes(in: layout).map(\.sql) + table.triggerCreation { try db.execute(sql: sql) }
  }

  /// Infers the schemas of collections that have documents but no table.
  static func inferred(
    beyond layout: MirrorLayout,
    _ documents: DocumentTable,
    _ writer: inout RowWriter
  ) throws -> [CollectionSchema] {
    var inferred: [CollectionSchema] = []
    for pattern in try documents.patterns() where layout.table(of: pattern) == nil {
      var profile = CollectionProfile(pattern)
      try MirrorScan.forEach(of: pattern, documents) { row in
        profile.add(RawDocument(path: row.path, fields: try writer.fields(row.fields)))
      }
      inferred.append(profile.schema())
    }
    return inferred
  }

  // MARK: Times

  /// Writes `zone_offsets`: the offsets from UTC to the schema's time zone, each with the time from which it applies.
  ///
  /// SQLite has no time zones. `datetime(t, (SELECT modifier FROM zone_offsets WHERE from_utc <= t ORDER BY from_utc DESC LIMIT
  /// 1))` is the local time of `t`.
  static func replaceOffsets(of zone: LocalTimeZone, _ db: Database) throws {
    try db.execute(
      sql: """
        DROP TABLE IF EXISTS zone_offsets;
        CREATE TABLE zone_offsets (from_utc TEXT PRIMARY KEY, seconds INTEGER NOT NULL, modifier TEXT NOT NULL);
        """
    )
    func add(_ seconds: Int64, _ offset: Int) throws {
      guard let time = Timestamp(seconds: seconds) else { return }
      try db.execute(
        sql: "INSERT INTO zone_offsets VALUES (?, ?, ?)",
        arguments: [SQLCells.text(of: time), offset, "\(offset >= 0 ? "+" : "")\(offset) seconds"]
      )
    }
    let first = Int64(Civil.days(year: 1900, month: 1, day: 1)) * 86_400
    let last = Int64(Civil.days(year: 2100, month: 1, day: 1)) * 86_400
    var offset = zone.offset(at: first)
    try add(Timestamp.minimumSeconds, offset)
    var day = first
    while day < last {
      let next = day + 86_400
      let after = zone.offset(at: next)
      if after != offset {
        try add(((day + 1)..<next).firstNumber { zone.offset(at: $0) != offset }, after)
        offset = after
      }
      day = next
    }
  }
}

extension MirrorPull {
  /// Writes the views, offsets and marks, and the description of the file.
  func conclude(
    _ db: Database,
    _ layout: MirrorLayout,
    _ inferred: [CollectionSchema],
    _ documents: DocumentTable,
    roots: Set<CollectionPath>,
    moment: Timestamp?
  ) throws {
    try MirrorSchema.replaceOffsets(of: LocalTimeZone(named: schema.timeZone ?? "UTC"), db)
    let unfit = try MirrorViews.create(views, db)
    if !unfit.isEmpty {
      logger.notice(
        "Views that do not fit the tables, or whose names are taken, are left out: \(unfit.joined(separator: ", "))."
      )
    }
    let mark =
      options.isExport || options.mask != nil
      ? nil : moment.flatMap { PullMode.mark(readTime: $0, overlap: options.overlap) }
    let collections = try layout.tables.map { table in
      var count = 0
      if table.parents.isEmpty {
        count = try documents.count(.collection(table.collection))
      } else {
        try MirrorScan.forEach(of: table.collection, documents, withFields: false) { _ in count += 1 }
      }
      return MirrorInfo.Collection(
        path: table.collection,
        table: table.name,
        documents: count,
        mark: table.parents.isEmpty && schema.changeTime(of: table.collection) != nil
          ? mark : nil
      )
    }
    if let moment { try documents.setLastCommit(moment.microseconds) }
    let info = MirrorInfo(
      environment: environment.name,
      database: client.database,
      server: environment.server,
      readTime: moment,
      pulledAt: .now,
      schemaText: schema.isEmpty ? "" : SchemaWriter.yaml(schema),
      inferredText: MirrorInfo.text(ofInferred: inferred),
      collections: collections,
      mask: options.mask?.fingerprint ?? (options.readsMasked ? "of the source" : nil),
      isPartial: options.readsPart || options.selection != nil,
      mayLackFields: options.mayLackFields
    )
    try info.write(db, layout)
  }

  /// Counts documents by their collections.
  func count(_ page: [RawDocument], _ change: (inout DocumentCounts, Int) -> Void) {
    var sizes: [CollectionPath: Int] = [:]
    for document in page { sizes[document.path.collection.pattern, default: 0] += 1 }
    for (collection, size) in sizes {
      counts.update(collection) {
        $0.read += size
        change(&$0, size)
      }
    }
  }
}
