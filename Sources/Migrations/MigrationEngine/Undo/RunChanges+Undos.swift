import Foundation
import GRDB
import Runs

/// What undos restored of a run's documents, and of those that they share with other runs.
extension RunChanges {
  /// Learns from the journal of an undo which documents it restored to their state before the undone run, and at which times.
  ///
  /// An undo's write is nobody's edit: a document that it restored counts as left by the run before. Undos must be passed in the
  /// order in which they began.
  ///
  /// - Parameter undone: The changes of the undone run.
  /// - Throws: As ``init(journal:)``.
  package func recognise(undoOf undone: RunChanges, journal: String) throws(Failure) {
    func note(_ change: Change, at time: Timestamp?) throws(Failure) {
      let known = try change.before.map { document throws(Failure) in try self.known(document) }
      try self.note(change, at: time, restores: try undone.original(of: change.path, leftAs: known))
    }
    let open = try JournalReader.forEachWritten(in: journal, note)
    // An undo that was killed may have made writes whose responses it did not receive.
    for change in open { try note(change, at: nil) }
  }

  /// Records that an undo's change removed or restored a document, if it did.
  ///
  /// - Parameter time: The update time that the change set; nil without a response.
  func note(_ change: Change, at time: Timestamp?, restores original: RawDocument?) throws(Failure) {
    let key = SpoolDatabase.bytes(change.path.string)
    let found = change.before?.updateTime?.description ?? Self.missing
    func put(_ time: String, _ original: RawDocument?) throws(Failure) {
      let times = [original?.updateTime?.description, original?.createTime?.description]
      try spool.access { db in
        try db.execute(
          sql: "INSERT OR REPLACE INTO restored SELECT path, ?, ?, ?, ? FROM documents WHERE path = ?",
          arguments: [time, times[0], times[1], found, key]
        )
      }
    }
    if change.isDeletion { return try put(Self.missing, nil) }
    guard let original, let originalTime = original.updateTime, change.after == original.fields else {
      return
    }
    if let time { return try put(time.description, original) }
    try spool.access { db in
      try db.execute(
        sql: "INSERT OR REPLACE INTO unheard VALUES (?, ?, ?, ?)",
        arguments: [
          key, SpoolDatabase.bytes(change), originalTime.description, original.createTime?.description,
        ]
      )
    }
  }

  /// Returns a document as it was before the change that left it in a given state; nil if no change of the run did.
  private func original(of path: DocumentPath, leftAs left: RawDocument?) throws(Failure) -> RawDocument? {
    let key = SpoolDatabase.bytes(path.string)
    return try spool.access { db in
      let change = try JointSpool(db).change(of: key, at: left?.updateTime)
      if let change, change.isDeletion == (left == nil) { return change.before }
      let sql = "SELECT history FROM documents WHERE path = ? AND joint IS NULL"
      guard let data = try Data.fetchOne(db, sql: sql, arguments: [key]) else { return nil }
      let history = try Self.history(data)
      return history.state(of: left, serverTime: serverTime) == .asLeft ? history.before : nil
    }
  }

  // MARK: Documents as undos left them

  /// The text that stands for the update time of a missing document in the table of what undos restored.
  private static let missing = ""

  /// Returns documents with their original times in place of the times at which undos restored them, and what undos replaced.
  ///
  /// - Parameter paths: All paths that were looked up.
  func known(
    _ documents: [DocumentPath: RawDocument],
    of paths: [DocumentPath]
  ) throws(Failure) -> (documents: [DocumentPath: RawDocument], replaced: [DocumentPath: ReplacedStates]) {
    var known = documents
    for (path, document) in documents { known[path] = try self.known(document) }
    let replaced = try spool.access { db in
      try paths.map { path in (path, try Self.replaced(db, path, documents[path])) }
    }
    return (known, Dictionary(replaced) { first, _ in first })
  }

  /// Follows what undos wrote back to the states in which they found a document, and to those that they restored.
  private static func replaced(
    _ db: Database,
    _ path: DocumentPath,
    _ current: RawDocument?
  ) throws -> ReplacedStates {
    let key = SpoolDatabase.bytes(path.string)
    let find = try db.cachedStatement(sql: "SELECT original, found FROM restored WHERE path = ? AND time = ?")
    var states = ReplacedStates()
    var open = [current?.updateTime?.description ?? missing]
    if let current, let unheard = try unheard(db, key, current) {
      open += [unheard.original.time.description, unheard.found ?? missing]
    }
    while let time = open.popLast() {
      if let time = Timestamp(time), !states.times.insert(time).inserted { continue }
      guard let row = try Row.fetchOne(find, arguments: [key, time]) else { continue }
      if time.isIdentical(to: missing) {
        if states.isRemoved { continue }
        states.isRemoved = true
      }
      open += [row["original"] as String?, row["found"]].compactMap { $0 }
    }
    return states
  }

  /// The times of a document that undos restored; the undo may have created it again, with another creation time.
  private struct Original {
    var time: Timestamp
    var created: Timestamp?

    init?(_ row: Row) {
      guard let time = (row["original"] as String?).flatMap({ Timestamp($0) }) else { return nil }
      self.time = time
      created = (row["created"] as String?).flatMap { Timestamp($0) }
    }
  }

  private func known(_ document: RawDocument) throws(Failure) -> RawDocument {
    guard var time = document.updateTime else { return document }
    let key = SpoolDatabase.bytes(document.path.string)
    let original = try spool.access { db -> Original? in
      let find = try db.cachedStatement(
        sql: "SELECT original, created FROM restored WHERE path = ? AND time = ?"
      )
      var known: Original?
      while let original = try Row.fetchOne(find, arguments: [key, time.description]).flatMap(Original.init),
        original.time < time
      {
        (time, known) = (original.time, original)
      }
      return try known ?? Self.unheard(db, key, document)?.original
    }
    guard let original else { return document }
    var known = document
    (known.updateTime, known.createTime) = (original.time, original.created)
    return known
  }

  /// Returns the original times of what a killed undo seems to have restored without receiving the response, and the time of what
  /// it found; nil if it did not.
  private static func unheard(
    _ db: Database,
    _ key: Data,
    _ document: RawDocument
  ) throws -> (original: Original, found: String?)? {
    let sql = "SELECT * FROM unheard WHERE path = ?"
    guard let row = try Row.fetchOne(db, sql: sql, arguments: [key]) else { return nil }
    let change = try SpoolDatabase.change(row)
    guard change.seemsApplied(to: document, since: nil), let original = Original(row) else { return nil }
    return (original, change.before?.updateTime?.description)
  }
}
