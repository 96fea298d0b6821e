import FirestoreModels
import Synchronization

/// A transaction ID, opaque to clients.
struct StoreTransactionID: Hashable, Sendable {
  var bytes: [UInt8]

  var base64: String {
    var out: [UInt8] = []
    Base64.append(bytes, to: &out)
    return String(decoding: out, as: UTF8.self)
  }
}

/// The active transactions of this process.
///
/// They are optimistic: at commit, the ranges that a transaction read are checked for changes, and it is
/// aborted if there are any.
final class TransactionTable: Sendable {
  /// The maximum age and idle time of a transaction in microseconds.
  private static let maximumAge: Int64 = 270_000_000
  private static let maximumIdle: Int64 = 60_000_000

  /// A range that a transaction read and that must be unchanged when it commits.
  struct Read: Sendable {
    var scope: StoreSnapshot.Scope
    var range: KeyRange
  }

  struct Transaction: Sendable {
    var database: DatabaseName
    var isReadOnly: Bool
    /// The read time in microseconds since 1970; nil before the first read.
    var readTime: Int64?
    var reads: [Read] = []
    fileprivate var startedAt: Int64
    fileprivate var lastUsedAt: Int64
  }

  private let transactions = Mutex<[StoreTransactionID: Transaction]>([:])
  private let clock: CommitClock

  init(clock: CommitClock) {
    self.clock = clock
  }

  func begin(_ options: TransactionOptions, in database: DatabaseName) -> StoreTransactionID {
    let now = clock.now()
    var transaction = Transaction(database: database, isReadOnly: false, startedAt: now, lastUsedAt: now)
    if case .readOnly(let readTime) = options {
      transaction.isReadOnly = true
      transaction.readTime = readTime
    }
    let id = StoreTransactionID(bytes: (0..<16).map { _ in UInt8.random(in: 0...255) })
    transactions.withLock { table in
      table = table.filter { !Self.isExpired($0.value, now) }
      table[id] = transaction
    }
    return id
  }

  /// - Throws: ``FirestoreError`` `.invalidArgument` if it has ended, expired, or belongs to another
  ///   database.
  func transaction(_ id: StoreTransactionID, in database: DatabaseName) throws(FirestoreError) -> Transaction
  {
    let now = clock.now()
    let active = transactions.withLock { table -> Transaction? in
      guard var transaction = table[id], transaction.database == database, !Self.isExpired(transaction, now)
      else { return nil }
      transaction.lastUsedAt = now
      table[id] = transaction
      return transaction
    }
    if let active { return active }
    throw .invalid("The referenced transaction has expired or is no longer valid.")
  }

  /// Records what a transaction read, and the time of its first read.
  func record(_ read: Read?, at readTime: Int64, in id: StoreTransactionID) {
    transactions.withLock { table in
      if table[id]?.readTime == nil { table[id]?.readTime = readTime }
      if let read, table[id]?.isReadOnly == false { table[id]?.reads.append(read) }
    }
  }

  /// Ends a transaction and returns it.
  func end(_ id: StoreTransactionID, in database: DatabaseName) throws(FirestoreError) -> Transaction {
    let transaction = try transaction(id, in: database)
    transactions.withLock { _ = $0.removeValue(forKey: id) }
    return transaction
  }

  private static func isExpired(_ transaction: Transaction, _ now: Int64) -> Bool {
    now - transaction.startedAt > maximumAge || now - transaction.lastUsedAt > maximumIdle
  }
}
