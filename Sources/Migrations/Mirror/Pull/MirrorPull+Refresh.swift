import FirestoreREST
import GRDB
import Logging
import Runs

/// What a refresh reads, and what it has read so far.
private struct Reading {
  /// The read time; nil to read each page at its present time.
  let moment: Timestamp?
  let stage: PullStage
  var report = MirrorPull.Report()
}

extension MirrorPull {
  /// Updates a mirror in one transaction.
  ///
  /// The file is locked for other writers from the beginning; readers see the earlier state until the end.
  func refresh() async throws -> Report {
    let file = try MirrorFile(path, for: .writing)
    let info = try MirrorInfo(file)
    try info.assertOf(environment, path: path)
    try file.use { db in try db.execute(sql: "BEGIN IMMEDIATE") }
    do {
      let report = try await refresh(file, info)
      try file.use { db in try db.execute(sql: "COMMIT") }
      try file.close()
      return report
    } catch {
      // Closing rolls back; the error that ended the pull is thrown, not that of closing.
      try? file.close()
      throw error
    }
  }

  private func refresh(_ file: MirrorFile, _ info: MirrorInfo) async throws -> Report {
    try assertNoEdits(file)
    let moment = try await pin()
    let before = try info.layout()
    var reading = Reading(moment: moment, stage: try PullStage(file, client.database))
    reading.report.readTime = moment
    let known = info.collections.map(\.path)
    let found = try await roots(at: moment)
    // A root may have no documents itself, and therefore no table.
    let gone = Set(known.map { CollectionPattern($0).root }).subtracting(found)
    let setBack = try await SetBackCollections(since: info.readTime.map { [$0] } ?? [], in: client)
    let former = try info.schema()
    for root in found {
      let field = schema.changeTime(of: root)
      let mark = info.mark(of: root)
      let run = options.isFull ? nil : info.readTime.flatMap { setBack.run(in: root, since: $0, by: field) }
      if let run {
        logger.notice("Run \(run) wrote earlier times of last change in \(root): all of it is read.")
      }
      if !options.isFull, mark != nil, let field, field != former.changeTime(of: root) {
        logger.notice("The last pull did not find changes of \(root) by \(field): all of it is read.")
      }
      let mode = PullMode(
        field,
        former: former.changeTime(of: root),
        mark: mark,
        hasTimes: try file.hasTimes(in: root, of: before, schema),
        isFull: options.isFull || run != nil
      )
      switch mode {
      case .whole: try await readWhole(root, &reading)
      case .since(let field, let mark):
        try await readChanges(of: root, field, since: mark, &reading)
        let subcollections = Set(known + schema.collections.map(\.pattern)).filter {
          CollectionPattern($0).isOpen && CollectionPattern($0).root == root
        }
        for pattern in subcollections.sorted() {
          try await readPattern(pattern, &reading)
        }
      }
    }
    for root in gone { try reading.stage.removeUnseen(.subtree(root)) }
    try apply(file, info, roots: Set(found), &reading)
    return reading.report
  }

  /// Refuses to overwrite edits that were not pushed, or that may not have been recorded.
  func assertNoEdits(_ file: MirrorFile) throws(Failure) {
    if options.discardsEdits { return }
    let layout = try MirrorInfo(file).layout()
    try file.use { db in try layout.assertIntact(path, to: "pull into", db) }
    let edits = try file.editCount()
    guard edits > 0 else { return }
    throw Failure(
      .tryLater,
      "pull into",
      path: path,
      cause: "\(edits) \(edits == 1 ? "document was" : "documents were") edited in it and not pushed",
      remedy: "Push them with 'gymmigrate mirror push', or give --discard-edits."
    )
  }

  // MARK: Reading

  private func readWhole(_ root: CollectionPath, _ reading: inout Reading) async throws {
    try await forEachPage(of: wholeRead(of: root, at: reading.moment)) { page in try take(page, &reading) }
    try reading.stage.removeUnseen(.subtree(root))
  }

  private func readPattern(_ pattern: CollectionPath, _ reading: inout Reading) async throws {
    var read = CollectionRead(pattern, readTime: reading.moment)
    read.reach = .pattern
    try await forEachPage(of: read) { page in try take(page, &reading) }
    let scope = CollectionPatternScope(pattern)
    try reading.stage.removeUnseen(scope.scope) { scope.contains($0) }
  }

  private func take(_ page: [RawDocument], _ reading: inout Reading) throws {
    let collections = Dictionary(grouping: page.filter { !$0.path.isReserved }) { $0.path.collection.pattern }
    for (_, documents) in collections.sorted(by: { $0.key < $1.key }) {
      record(documents, changed: try reading.stage.take(documents, remembers: true), &reading.report)
    }
  }

  private func readChanges(
    of root: CollectionPath,
    _ field: FieldPath,
    since mark: Timestamp,
    _ reading: inout Reading
  ) async throws {
    var read = CollectionRead(root, readTime: reading.moment)
    read.filter = .field(field, .greaterThanOrEqual, .timestamp(mark))
    try await forEachPage(of: read) { page in
      record(page, changed: try reading.stage.take(page, remembers: false), &reading.report)
    }
    let ranges = try await rangesThatDiffer(root, &reading)
    try await readNames(of: root, in: ranges, &reading)
  }

  /// Returns the ranges of names whose counts differ from the mirror's; all names if the service does not count.
  private func rangesThatDiffer(_ root: CollectionPath, _ reading: inout Reading) async throws -> [NameRange]
  {
    let names = try reading.stage.names(of: root)
    do {
      let (ranges, counted) = try await client.rangesThatDiffer(
        in: CollectionRead(root, readTime: reading.moment),
        from: names,
        width: options.isThorough ? CountSearch.narrowWidth : CountSearch.width
      )
      reading.report.counted += counted
      return ranges.map(\.names)
    } catch let error as Failure {
      if error.kind == .interrupted { throw error }
      logger.notice("\(root) could not be counted, so its names are read: \(error)")
      return [NameRange()]
    }
  }

  /// Reads names with their update times, to find deletions and changes that did not set the time of last change.
  private func readNames(
    of root: CollectionPath,
    in ranges: [NameRange],
    _ reading: inout Reading
  ) async throws {
    var missing: [DocumentPath] = []
    let read = CollectionRead(root, mask: [.documentName], readTime: reading.moment)
    try await client.readRanges(of: read, ranges, orElse: "Pull again") { page, range in
      guard let page else { return try reading.stage.removeUnseen(.collection(root), in: range) }
      reading.report.names += page.count
      progress.advance(by: page.count)
      missing += try reading.stage.unknown(page)
    }
    for some in missing.chunks(of: client.lookupSize) {
      let documents = Array(try await client.batchGet(Array(some), readTime: reading.moment).values)
      record(documents, changed: try reading.stage.take(documents, remembers: false), &reading.report)
    }
  }

  /// Counts documents of one collection.
  private func record(_ page: [RawDocument], changed: Int, _ report: inout Report) {
    report.read += page.count
    guard let collection = page.first?.path.collection.pattern else { return }
    counts.update(collection) {
      $0.read += page.count
      $0.written += changed
      $0.unchanged += page.count - changed
    }
  }

  // MARK: Writing

  /// Writes what was read into the tables.
  private func apply(
    _ file: MirrorFile,
    _ info: MirrorInfo,
    roots: Set<CollectionPath>,
    _ reading: inout Reading
  ) throws {
    let (moment, stage) = (reading.moment, reading.stage)
    let before = try info.layout()
    let yaml = schema.isEmpty ? "" : SchemaWriter.yaml(schema)
    let rebuilds = options.isFull || !yaml.isIdentical(to: info.schemaText)
    let declared = MirrorLayout(schema.collections)
    (reading.report.changed, reading.report.deleted) = try file.use { db in
      let damaged = Set(try before.damaged(db).map(\.table.name))
      let edits = options.discardsEdits ? try before.edits(info.database, db) : []
      // A user's triggers may change rows that the pull does not write, so all written rows are recorded.
      let records = try UserObject.hasTriggers(db)
      try db.execute(sql: MirrorTables.movesCreation + "DELETE FROM \(MirrorTables.moves)")
      for sql in before.tables.flatMap(\.triggerRemoval) { try db.execute(sql: sql) }
      for table in before.tables where records && !damaged.contains(table.name) {
        for sql in table.recorderCreation { try db.execute(sql: sql) }
      }
      let viewTriggers = try MirrorViews.dropOwn(views, db)
      var documents = try DocumentTable(db, client.database)
      if !damaged.isEmpty {
        try replaceTables(of: before, by: before, except: damaged, documents, records: records, db)
      }
      var writer = try RowWriter(before)
      let changed = try stage.apply(db, &documents, &writer)
      if options.isFull || options.discardsEdits {
        for table in before.tables { try UnfitRows.remove(from: table, db) }
      }
      if options.discardsEdits { try discard(edits + MirrorTables.edits(db), db, documents, &writer) }
      let known = rebuilds ? declared : before
      let inferred =
        known.tables.dropFirst(declared.tables.count).map(\.schema)
        + (try MirrorSchema.inferred(beyond: known, documents, &writer))
      let layout = MirrorLayout(schema.collections + inferred)
      try replaceTables(of: before, by: layout, documents, records: records, db)
      for table in layout.tables {
        for sql in table.triggerRemoval + table.triggerCreation { try db.execute(sql: sql) }
      }
      if records {
        try keepSideEffects(of: layout, documents, db)
      } else {
        try db.execute(sql: "DELETE FROM \(MirrorTables.edits)")
      }
      try conclude(db, layout, inferred, documents, roots: roots, moment: moment)
      try restore(viewTriggers, db)
      return changed
    }
  }

  /// Creates new tables, damaged ones and those with another layout, together with their users' indexes and triggers; other
  /// tables stay.
  ///
  /// Rows are deleted and inserted one by one there, so that users' triggers run, as those of a full-text index require.
  private func replaceTables(
    of before: MirrorLayout,
    by layout: MirrorLayout,
    except damaged: Set<String> = [],
    _ documents: DocumentTable,
    records: Bool,
    _ db: Database
  ) throws {
    let forms = Dictionary(uniqueKeysWithValues: layout.tables.map { ($0.name, $0.form(in: layout)) })
    let kept = Set(before.tables.filter { forms[$0.name] == $0.form(in: before) }.map(\.name)).subtracting(
      damaged
    )
    var objects: [UserObject] = []
    var lost: [String] = []
    for table in before.tables where !kept.contains(table.name) {
      lost += damaged.contains(table.name) ? [] : try table.addedColumns(db)
      let own = Set(table.indexes(in: before).map(\.name))
      for name in table.elementTables.map(\.name) + [table.name] where try db.tableExists(name) {
        objects += try UserObject.all(on: name, except: own, db)
        try db.execute(sql: "DELETE FROM \(SQLName.quoted(name)); DROP TABLE \(SQLName.quoted(name))")
      }
    }
    if !lost.isEmpty {
      logger.warning(
        "Columns that are no fields are gone, because their tables were rebuilt: \(lost.joined(separator: ", "))."
      )
    }
    var writer = try RowWriter(layout)
    let added = layout.tables.filter { !kept.contains($0.name) }
    for table in added {
      try MirrorSchema.create(table, layout, db)
      for sql in records ? table.recorderCreation : [] { try db.execute(sql: sql) }
    }
    try restore(objects.filter(\.isTrigger), db)
    try writer.fill(added, documents, db)
    for table in added {
      for index in table.indexes(in: layout) {
        // A table that somebody renamed still has it.
        try db.execute(sql: "DROP INDEX IF EXISTS \(SQLName.quoted(index.name)); \(index.sql)")
      }
    }
    try restore(objects.filter { !$0.isTrigger }, db)
  }

  private func restore(_ objects: [UserObject], _ db: Database) throws {
    let lost = try objects.filter { try !$0.restore(db) }
    if lost.isEmpty { return }
    logger.warning(
      "Indexes and triggers that do not fit the tables any more are gone: \(lost.map(\.name).joined(separator: ", "))."
    )
  }

  /// Restores edited rows to the state of their documents.
  ///
  /// All of them are removed first, because a unique index that somebody created may not admit both states of several.
  private func discard(
    _ edits: [MirrorTables.Edit],
    _ db: Database,
    _ documents: DocumentTable,
    _ writer: inout RowWriter
  ) throws {
    for edit in edits {
      if let document = edit.document {
        try writer.remove(document, db)
      } else if let table = CollectionPath(edit.collection).flatMap({ writer.layout.table(of: $0) }) {
        try StatementWriter(db, table.removalByPath).run(texts: [edit.path])
      }
    }
    for document in edits.compactMap(\.document) { try writer.restore(document, documents, db) }
  }
}

extension MirrorFile {
  /// Whether any document of a collection has a time of last change, so that a filter finds it.
  func hasTimes(
    in root: CollectionPath,
    of layout: MirrorLayout,
    _ schema: DatabaseSchema
  ) throws(Failure) -> Bool {
    guard let field = schema.changeTime(of: root), let table = layout.table(of: root),
      let column = table.columns.first(where: { $0.field == field }),
      try use({ db in try table.damage(db) }) == nil
    else { return false }
    // Any other value is REST JSON, which begins with a brace.
    let sql = """
      SELECT EXISTS (SELECT 1 FROM \(SQLName.quoted(table.name)) \
      WHERE \(SQLName.quoted(column.name)) BETWEEN '0' AND '9999999')
      """
    return try use { db in try Bool.fetchOne(db, sql: sql) ?? false }
  }
}
