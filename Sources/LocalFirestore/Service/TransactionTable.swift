import FirestoreModels
import Synchronization

/// The id of a transaction, opaque to clients.
struct TransactionID: Hashable, Sendable {
  var bytes: [UInt8]

  /// The id as it is on the wire.
  var base64: String {
    var out: [UInt8] = []
    Base64.append(bytes, to: &out)
    return String(decoding: out, as: UTF8.self)
  }
}

/// The transactions that have begun in this process.
///
/// They are optimistic: what a transaction read is compared with what
/// is when it commits, and it is aborted where that changed.
final class TransactionTable: Sendable {
  /// How long a transaction may last and stand idle, in microseconds.
  private static let maximumAge: Int64 = 270_000_000
  private static let maximumIdle: Int64 = 60_000_000

  /// Something that a transaction read, and that must not have changed when it commits.
  struct Read: Sendable {
    var scope: Snapshot.Scope
    var range: KeyRange
  }

  /// A transaction that has begun.
  struct Transaction: Sendable {
    var database: DatabaseName
    var isReadOnly: Bool
    /// The moment that it reads, in microseconds since 1970; nil before its first read.
    var readTime: Int64?
    var reads: [Read] = []
    fileprivate var begun: Int64
    fileprivate var used: Int64
  }

  private let transactions = Mutex<[TransactionID: Transaction]>([:])
  private let clock: CommitClock

  init(clock: CommitClock) {
    self.clock = clock
  }

  /// Begins a transaction.
  func begin(_ options: TransactionOptions, in database: DatabaseName) -> TransactionID {
    let now = clock.now()
    var transaction = Transaction(database: database, isReadOnly: false, begun: now, used: now)
    if case .readOnly(let readTime) = options {
      transaction.isReadOnly = true
      transaction.readTime = readTime
    }
    let id = TransactionID(bytes: (0..<16).map { _ in UInt8.random(in: 0...255) })
    transactions.withLock { table in
      table = table.filter { !Self.isExpired($0.value, now) }
      table[id] = transaction
    }
    return id
  }

  /// The transaction as it is.
  ///
  /// - Throws: ``FirestoreError`` `.invalidArgument` where it is over, has expired or is another database's.
  func transaction(_ id: TransactionID, in database: DatabaseName) throws(FirestoreError) -> Transaction {
    let now = clock.now()
    let found = transactions.withLock { table -> Transaction? in
      guard var transaction = table[id], transaction.database == database, !Self.isExpired(transaction, now)
      else {
        return nil
      }
      transaction.used = now
      table[id] = transaction
      return transaction
    }
    guard let found else {
      throw .invalid("The referenced transaction has expired or is no longer valid.")
    }
    return found
  }

  /// Notes what a transaction read, and the moment of its first read.
  func note(_ read: Read?, at readTime: Int64, in id: TransactionID) {
    transactions.withLock { table in
      if table[id]?.readTime == nil { table[id]?.readTime = readTime }
      if let read, table[id]?.isReadOnly == false { table[id]?.reads.append(read) }
    }
  }

  /// Ends a transaction and gives it.
  func end(_ id: TransactionID, in database: DatabaseName) throws(FirestoreError) -> Transaction {
    let transaction = try transaction(id, in: database)
    transactions.withLock { _ = $0.removeValue(forKey: id) }
    return transaction
  }

  private static func isExpired(_ transaction: Transaction, _ now: Int64) -> Bool {
    now - transaction.begun > maximumAge || now - transaction.used > maximumIdle
  }
}
