import Synchronization

/// A transaction ID, opaque to clients.
struct StoreTransactionID: Hashable, Sendable {
  var bytes: [UInt8]

  var base64: String { Base64.standard(bytes) }
}

/// The active transactions of this process.
///
/// They are optimistic: at commit, the ranges that a transaction read are checked for changes, and it is aborted if there are
/// any. Google's emulator instead locks what is read, as the service does for server clients; since clients must retry aborted
/// transactions, the resulting data are the same.
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
  /// The secret by which the table recognizes its own IDs.
  private let seal = UInt64.random(in: .min ... .max)

  init(clock: CommitClock) {
    self.clock = clock
  }

  /// - Throws: ``FirestoreError`` `.invalidArgument` for a retry of anything but a read-write transaction of this table.
  func begin(
    _ options: TransactionOptions,
    in database: DatabaseName
  ) throws(FirestoreError) -> StoreTransactionID {
    if case .readWrite(let retried?) = options, try isReadOnly(retried) {
      throw .invalid("Cannot retry a read-only transaction.")
    }
    let now = clock.now()
    var transaction = Transaction(database: database, isReadOnly: false, startedAt: now, lastUsedAt: now)
    if case .readOnly(let readTime) = options {
      transaction.isReadOnly = true
      transaction.readTime = readTime
    }
    let id = newID(isReadOnly: transaction.isReadOnly)
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

  // MARK: IDs

  /// Returns a random number, which is even for read-write transactions, and its seal, so that an ID is recognized even after its
  /// transaction has ended.
  private func newID(isReadOnly: Bool) -> StoreTransactionID {
    let number = UInt64.random(in: .min ... .max) & ~1 | (isReadOnly ? 1 : 0)
    return StoreTransactionID(bytes: bytes(number) + bytes(sealed(number)))
  }

  /// Whether a transaction, which may have ended, was read-only.
  ///
  /// - Throws: ``FirestoreError`` `.invalidArgument` for an ID that this table did not issue.
  @discardableResult
  func isReadOnly(_ id: StoreTransactionID) throws(FirestoreError) -> Bool {
    let number = id.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    guard id.bytes == bytes(number) + bytes(sealed(number)) else { throw .invalid("Invalid transaction.") }
    return number & 1 == 1
  }

  private func sealed(_ number: UInt64) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(seal)
    hasher.combine(number)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }

  private func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
  }

  private static func isExpired(_ transaction: Transaction, _ now: Int64) -> Bool {
    now - transaction.startedAt > maximumAge || now - transaction.lastUsedAt > maximumIdle
  }
}
