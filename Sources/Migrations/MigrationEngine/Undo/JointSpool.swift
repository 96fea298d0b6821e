import Foundation
import GRDB
import Runs

/// The transactions of a journal in the spool of ``RunChanges``, with a row for each document of a transaction.
struct JointSpool {
  private let db: Database

  init(_ db: Database) {
    self.db = db
  }

  /// Adds a line about a document.
  ///
  /// - Parameter last: The last transaction so far that changed the document.
  /// - Returns: The last transaction including this line.
  func take(_ line: JournalReader.Line, of key: Data, last: Int?) throws -> Int? {
    switch line {
    case .head: return last
    case .change(let change, let number):
      if let last { try resolve(last, of: key, by: change.before) }
      guard let number else { return last }
      try db.cachedStatement(sql: "INSERT OR REPLACE INTO parts VALUES (?, ?, ?, NULL, NULL)")
        .execute(arguments: [number, key, SpoolDatabase.bytes(change)])
      return number
    case .settled(_, let result, let time):
      guard let last else { return nil }
      try db.cachedStatement(
        sql: "UPDATE parts SET result = ?, time = ? WHERE number = ? AND path = ? AND result IS NULL"
      ).execute(arguments: [result, time?.description, last, key])
      return last
    }
  }

  /// Settles a transaction without a response by what the next one found in one of its documents.
  private func resolve(_ number: Int, of key: Data, by found: RawDocument?) throws {
    guard let part = try part(number, key), part.result == nil else { return }
    let before = part.change.before
    let isSame = found == nil ? before == nil : before != nil && found?.updateTime == before?.updateTime
    if isSame {
      try settle(number, "unchanged")
    } else if part.change.isApplied(to: found) {
      try db.execute(
        sql: "UPDATE parts SET time = ? WHERE number = ? AND path = ?",
        arguments: [found?.updateTime?.description, number, key]
      )
      try settle(number, "written")
    }
  }

  private func settle(_ number: Int, _ result: String) throws {
    try db.execute(
      sql: "UPDATE parts SET result = ? WHERE number = ? AND result IS NULL",
      arguments: [result, number]
    )
  }

  private func part(_ number: Int, _ key: Data) throws -> JointChange.Part? {
    try Row.fetchOne(
      db,
      sql: "SELECT * FROM parts WHERE number = ? AND path = ?",
      arguments: [number, key]
    ).map(Self.part)
  }

  /// Removes the transactions that are known not to be applied, such as the earlier attempts of one that was repeated.
  func dropRefused() throws {
    try db.execute(
      sql: """
        DELETE FROM parts WHERE number NOT IN
          (SELECT number FROM parts WHERE result IS NULL OR result = 'written')
        """
    )
  }

  /// Returns the last transaction before a number; the last of all if nil.
  func jointChange(before number: Int?) throws -> JointChange? {
    let rows = try Row.fetchAll(
      db,
      sql:
        "SELECT * FROM parts WHERE number = (SELECT MAX(number) FROM parts WHERE number < ?) ORDER BY path",
      arguments: [number ?? Int.max]
    )
    guard let first = rows.first else { return nil }
    return JointChange(number: first["number"], parts: try rows.map(Self.part))
  }

  /// Returns the last applied change that left a document as it is, nil if missing, with the number of its transaction.
  ///
  /// - Parameter serverTime: A time by the service's clock before the run's first change.
  func change(
    of key: Data,
    leftAs document: RawDocument?,
    since serverTime: Timestamp?
  ) throws -> (number: Int, change: Change)? {
    let rows = try Row.fetchCursor(
      db,
      sql: """
        SELECT * FROM parts WHERE path = :path
          AND (result IS NULL OR result = 'written' AND (time IS :time OR :time IS NULL))
        ORDER BY number DESC
        """,
      arguments: ["path": key, "time": document?.updateTime?.description]
    )
    while let row = try rows.next() {
      let part = try Self.part(row)
      let isLeft =
        part.result == nil
        ? part.change.seemsApplied(to: document, since: serverTime)
        : part.change.isDeletion == (document == nil)
      if isLeft { return (row["number"], part.change) }
    }
    return nil
  }

  /// Returns the applied changes of a document that have an update time, be it that of another document of the transaction.
  func writes(of key: Data) throws -> [(change: Change, time: Timestamp)] {
    let rows = try Row.fetchAll(
      db,
      sql: """
        SELECT change, COALESCE(time, (SELECT MIN(time) FROM parts WHERE number = part.number)) AS committed
        FROM parts AS part WHERE path = ? AND result = 'written'
        """,
      arguments: [key]
    )
    return try rows.compactMap { row in
      guard let time = (row["committed"] as String?).flatMap({ Timestamp($0) }) else { return nil }
      return (try SpoolDatabase.change(row), time)
    }
  }

  private static func part(_ row: Row) throws -> JointChange.Part {
    JointChange.Part(
      change: try SpoolDatabase.change(row),
      result: row["result"],
      updateTime: (row["time"] as String?).flatMap { Timestamp($0) }
    )
  }
}
