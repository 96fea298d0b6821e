import Foundation
import GRDB
import Runs

/// What undos restored of a run's documents, and of those that they share with other runs.
extension RunChanges {
  /// What the run did to a document that it left in a given state.
  private struct Work {
    /// The document before; nil if there was none.
    var before: RawDocument?
    /// The number of the transaction; nil for a document without one.
    var joint: Int?
  }

  /// Learns from the journal of an undo which documents it restored to their state before the undone run, and at which times.
  ///
  /// An undo's write is nobody's edit: a document that it restored counts as left by the run before. What an earlier undo of this
  /// run restored is settled. Undos must be passed in the order in which they began.
  ///
  /// - Parameters:
  ///   - undone: The changes of the undone run.
  ///   - isOver: Whether the undo has ended; one that is going to be resumed settles nothing yet.
  /// - Throws: As ``init(journal:)``.
  package func recognise(undoOf undone: RunChanges, journal: String, isOver: Bool) throws(Failure) {
    let isOwn = undone.run.isIdentical(to: run)
    func undoneWork(_ change: Change) throws(Failure) -> Work? {
      let known = try change.before.map { document throws(Failure) in try self.known(document) }
      return try undone.work(on: change.path, leftAs: known)
    }
    let open = try JournalReader.forEachWritten(in: journal) { change, time throws(Failure) in
      let work = try undoneWork(change)
      if isOwn, isOver, let work { try settle(change.path, work.joint) }
      let isRestored = try note(change, at: time, restores: work?.before)
      if !isOwn, !isRestored { try adopt(try undone.jointWrites(of: change.path)) }
    }
    // An undo that was killed may have made writes whose responses it did not receive.
    for change in open { try note(change, at: nil, restores: try undoneWork(change)?.before) }
  }

  /// Records what an undo's change did to a document: it removed it, restored it, or wrote something else.
  ///
  /// - Parameter time: The update time that the change set; nil without a response.
  /// - Returns: Whether it removed or restored the document.
  @discardableResult
  func note(_ change: Change, at time: Timestamp?, restores original: RawDocument?) throws(Failure) -> Bool {
    let key = SpoolDatabase.bytes(change.path.string)
    let found = change.before?.updateTime?.description ?? Self.missing
    func put(_ time: String, _ original: RawDocument?) throws(Failure) -> Bool {
      let times = [original?.updateTime?.description, original?.createTime?.description]
      try spool.access { db in
        try db.execute(
          sql: "INSERT OR REPLACE INTO restored SELECT path, ?, ?, ?, ? FROM documents WHERE path = ?",
          arguments: [time, times[0], times[1], found, key]
        )
      }
      return true
    }
    if change.isDeletion { return try put(Self.missing, nil) }
    guard let original, let originalTime = original.updateTime, change.after == original.fields else {
      if let time { try adopt([(change, time)]) }
      return false
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
    return true
  }

  /// Returns what the run did to a document that it left in a given state, nil if missing; nil if it did not.
  private func work(on path: DocumentPath, leftAs left: RawDocument?) throws(Failure) -> Work? {
    let key = SpoolDatabase.bytes(path.string)
    return try spool.access { db in
      if let (number, change) = try JointSpool(db).change(of: key, leftAs: left, since: serverTime) {
        return Work(before: change.before, joint: number)
      }
      let sql = "SELECT history FROM documents WHERE path = ? AND joint IS NULL"
      guard let data = try Data.fetchOne(db, sql: sql, arguments: [key]) else { return nil }
      let history = try Self.history(data)
      return history.state(of: left, serverTime: serverTime) == .asLeft ? Work(before: history.before) : nil
    }
  }

  // MARK: Settled by earlier undos

  /// The number that stands for no transaction.
  private static let apart = 0

  private func settle(_ path: DocumentPath, _ joint: Int?) throws(Failure) {
    try spool.access { db in
      try db.execute(
        sql: "INSERT OR REPLACE INTO settled VALUES (?, ?)",
        arguments: [SpoolDatabase.bytes(path.string), joint ?? Self.apart]
      )
    }
  }

  /// Returns those of some documents that an earlier undo of the run restored, whatever came since.
  ///
  /// - Parameter joint: The number of the transaction that wrote them; nil for documents without one.
  func settled(_ paths: [DocumentPath], in joint: Int? = nil) throws(Failure) -> Set<DocumentPath> {
    try spool.access { db in
      let find = try db.cachedStatement(sql: "SELECT 1 FROM settled WHERE path = ? AND joint = ?")
      return Set(
        try paths.filter { path in
          let key = SpoolDatabase.bytes(path.string)
          return try Bool.fetchOne(find, arguments: [key, joint ?? Self.apart]) ?? false
        }
      )
    }
  }

  // MARK: Documents as undos left them

  /// The text that stands for the update time of a missing document in the table of what undos restored.
  private static let missing = ""

  /// Returns documents with their original times in place of the times at which undos restored them, and what undos replaced.
  ///
  /// - Parameters:
  ///   - paths: All paths that were looked up.
  ///   - derived: Whether a change only maintains a derived value; nil if none does.
  func known(
    _ documents: [DocumentPath: RawDocument],
    of paths: [DocumentPath],
    ignoring derived: ((Change) -> Bool)? = nil
  ) throws(Failure) -> (documents: [DocumentPath: RawDocument], replaced: [DocumentPath: ReplacedStates]) {
    var known = documents
    for (path, document) in documents { known[path] = try self.known(document) }
    let found = try spool.access { db in
      try paths.map { path in (path, try Self.replaced(db, path, documents[path])) }
    }
    var replaced = Dictionary(found) { first, _ in first }
    if let derived {
      for (path, document) in known {
        replaced[path]?.derivedSince = try timesDerivedSince(document, ignoring: derived)
      }
    }
    return (known, replaced)
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

  // MARK: Derived values

  /// Records writes of transactions' documents that restored nothing: those of undos, and of what they undid.
  private func adopt(_ writes: [(change: Change, time: Timestamp)]) throws(Failure) {
    if writes.isEmpty { return }
    try spool.access { db in
      for (change, time) in writes {
        try db.execute(
          sql: """
            INSERT OR REPLACE INTO rewritten
            SELECT path, ?, ? FROM parts WHERE path = ? LIMIT 1
            """,
          arguments: [
            time.description, SpoolDatabase.bytes(change), SpoolDatabase.bytes(change.path.string),
          ]
        )
      }
    }
  }

  /// Returns the run's writes of a document in transactions, with their update times, as far as they are known.
  private func jointWrites(of path: DocumentPath) throws(Failure) -> [(change: Change, time: Timestamp)] {
    try spool.access { db in try JointSpool(db).writes(of: SpoolDatabase.bytes(path.string)) }
  }

  /// Returns the update times of a document's states since which only derived values have been written: by the run, by undos, and
  /// by the runs that they undid.
  ///
  /// - Parameter document: The document with its original time.
  private func timesDerivedSince(
    _ document: RawDocument,
    ignoring derived: (Change) -> Bool
  ) throws(Failure) -> Set<Timestamp> {
    let key = SpoolDatabase.bytes(document.path.string)
    var times: Set<Timestamp> = []
    var document = document
    while let time = document.updateTime, times.insert(time).inserted {
      let left = document
      let change = try spool.access { db -> Change? in
        let row = try Row.fetchOne(
          db,
          sql: "SELECT change FROM rewritten WHERE path = ? AND time = ?",
          arguments: [key, time.description]
        )
        if let row { return try SpoolDatabase.change(row) }
        return try JointSpool(db).change(of: key, leftAs: left, since: serverTime)?.change
      }
      guard let change, derived(change), let before = change.before else { break }
      document = try known(before)
    }
    return times
  }
}
