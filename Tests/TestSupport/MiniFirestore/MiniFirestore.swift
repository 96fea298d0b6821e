import Foundation
import Synchronization

/// An in-memory server of Firestore's REST surface, strict in what it takes and awkward in what it gives.
///
/// It shares no code with what it judges. Everything odd that it does, the service's documentation allows: pages
/// that are short or empty, page tokens full of characters that must be encoded, members in any order, members
/// that nobody knows, numbers in several spellings, absent members for empty values.
///
///     let mini = MiniFirestore()
///     try mini.load(jsonLines: #"{"fields":{"n":{"integerValue":"1"}},"name":"users/u1"}"#)
///     try await HTTPTestServer.withServer(mini.handler) { server in ... }
package final class MiniFirestore: Sendable {
  /// How the server behaves.
  package struct Options: Sendable {
    /// The project of the one database.
    package var project = "test-project"
    /// The id of the one database.
    package var database = "(default)"
    /// The edition that the server says the database has.
    package var edition = "STANDARD"
    /// Whether answers are as odd as they may be; off, they are plain and pages are full.
    package var isAwkward = true
    /// What the oddities are drawn from.
    package var seed: UInt64 = 1
    /// Whether a request needs a token that `/token` gave out.
    package var requiresAuthorization = false
    /// How many requests a token is good for.
    package var requestsPerToken = Int.max
    /// The most writes in a commit or a batchWrite.
    package var largestCommit = 500
    /// The longest request body.
    package var largestBody = 10 << 20
    /// Whether an `updateTime` precondition on a missing document is NOT_FOUND; else FAILED_PRECONDITION.
    ///
    /// Which of them the service answers is not documented.
    package var missingBaseIsNotFound = true
    /// Microseconds since 1970 of the server's clock, which is made to move on with every commit whatever it says.
    package var clock: @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1_000_000) }

    /// The defaults.
    package init() {}
  }

  struct State: Sendable {
    var store = MiniStore()
    var lastTime: Int64 = 0
    var requests: [RequestKind: Int] = [:]
    var writes: [ByteString: Int] = [:]
    var changes: [ByteString: Int] = [:]
    var pageTokens: [ByteString: PageToken] = [:]
    var accessTokens: [String: Int] = [:]
    var tokensIssued = 0
    var commits = 0
    var beforeCommit: (@Sendable (Int, TestRequest) -> Void)?
    var draws: UInt64 = 0
    /// What each open transaction read: the update times, nil of what does not exist.
    var transactions: [ByteString: [MiniPath: MiniTime?]] = [:]
    var transactionsBegun = 0
  }

  /// The options that the server was made with.
  package let options: Options
  let state = Mutex(State())

  /// An empty database.
  package init(_ options: Options = Options()) {
    self.options = options
  }

  /// The handler for a test server.
  package var handler: RequestHandler {
    { request in .response(self.answer(request)) }
  }

  /// `projects/P/databases/D/documents`: what a document's full name begins with.
  package var root: String { "projects/\(options.project)/databases/\(options.database)/documents" }

  /// Has a closure called before every commit and batchWrite is handled, with the commit's number from 0.
  ///
  /// The closure may call `put` and `remove`, as a concurrent writer would write.
  package func setBeforeCommit(_ closure: (@Sendable (Int, TestRequest) -> Void)?) {
    state.withLock { $0.beforeCommit = closure }
  }

  // MARK: Contents

  /// Loads documents from JSON Lines: `{"fields":{...},"name":"users/u1"}`, names relative or full.
  package func load(jsonLines: String) throws {
    let documents = try Self.parse(jsonLines, root: root)
    state.withLock { state in
      for (path, fields) in documents { put(path, fields, &state) }
    }
  }

  /// What a database would hold after loading these JSON Lines: the expectation for `snapshot()`.
  package static func canonical(jsonLines: String) throws -> [MiniDocument] {
    let mini = MiniFirestore()
    try mini.load(jsonLines: jsonLines)
    return mini.snapshot()
  }

  /// Writes one document behind the clients' backs; the fields are REST JSON.
  package func put(_ name: String, fields: String) throws {
    let fields = try MiniDecoder.fields(JSONReader.read(Array(fields.utf8)))
    state.withLock { put(MiniPath(relative: ByteString(name)), fields, &$0) }
  }

  /// Sets fields of one document behind the clients' backs, at one moment, and keeps its other fields; the document is
  /// made where there is none.
  package func merge(_ name: String, fields: String) throws {
    let fields = try MiniDecoder.fields(JSONReader.read(Array(fields.utf8)))
    let path = MiniPath(relative: ByteString(name))
    state.withLock { state in
      let current = state.store.document(path)?.fields ?? [:]
      put(path, current.merging(fields) { $1 }, &state)
    }
  }

  /// Deletes one document behind the clients' backs.
  package func remove(_ name: String) {
    state.withLock { state in
      let time = tick(&state)
      state.store.write(MiniPath(relative: ByteString(name)), nil, at: time)
    }
  }

  /// One document, nil if there is none of that name.
  package func document(_ name: String) -> MiniDocument? {
    let path = MiniPath(relative: ByteString(name))
    return state.withLock { $0.store.document(path) }.map { MiniDocument(path, $0) }
  }

  /// The whole database, sorted by the bytes of the names, but for what the tool keeps about itself.
  package func snapshot() -> [MiniDocument] {
    everything().filter { !Self.isBookkeeping($0.name) }
  }

  /// Whether a document is the tool's ledger or lease: no data of anybody's.
  private static func isBookkeeping(_ name: String) -> Bool { name.hasPrefix("_gymmigrate") }

  /// The whole database, sorted by the bytes of the names.
  package func everything() -> [MiniDocument] {
    let all = state.withLock {
      $0.store.documents(below: MiniPath([]), collection: nil, allDescendants: true, at: nil)
    }
    return all.sorted { $0.path.name < $1.path.name }.map { MiniDocument($0.path, $0.document) }
  }

  // MARK: Accounts

  /// How many requests of each kind were answered, refused ones included.
  package var requestCounts: [RequestKind: Int] { state.withLock { $0.requests.mapValues { $0 } } }

  /// How many requests of one kind were answered.
  package func requestCount(_ kind: RequestKind) -> Int { requestCounts[kind, default: 0] }

  /// How many writes were applied to one document by clients: updates and deletes, also those that changed nothing.
  package func writeCount(_ name: String) -> Int {
    state.withLock { $0.writes[ByteString(name), default: 0] }
  }

  /// How many writes were applied by clients in all, but for the tool's ledger and lease.
  package var totalWrites: Int { writtenDocuments.reduce(0) { $0 + $1.writes } }

  /// How many writes of clients to one document made a difference: a new update time, or a deletion of what was there.
  package func changeCount(_ name: String) -> Int {
    state.withLock { $0.changes[ByteString(name), default: 0] }
  }

  /// The names that clients changed, sorted bytewise, each with the number of changes; but for the tool's ledger and
  /// lease.
  package var changedDocuments: [(name: String, changes: Int)] {
    listed { $0.changes }.map { (name: $0, changes: $1) }
  }

  /// How many changes clients made in all, but for the tool's ledger and lease.
  package var totalChanges: Int { changedDocuments.reduce(0) { $0 + $1.changes } }

  /// The names that clients wrote to, sorted bytewise, each with the number of writes; but for the tool's ledger and lease.
  package var writtenDocuments: [(name: String, writes: Int)] {
    listed { $0.writes }.map { (name: $0, writes: $1) }
  }

  /// Counts by name, sorted; all under the lock, because the thread sanitizer does not see that a shared dictionary is
  /// shared no more.
  private func listed(_ counts: (State) -> [ByteString: Int]) -> [(String, Int)] {
    state.withLock { state in
      counts(state).sorted { $0.key < $1.key }.map { ($0.key.string, $0.value) }
        .filter { !Self.isBookkeeping($0.0) }
    }
  }

  /// Sets all counts back to nothing.
  package func resetCounts() {
    state.withLock { state in
      state.requests = [:]
      state.writes = [:]
      state.changes = [:]
    }
  }

  // MARK: Inside

  /// The next moment: later than any before, and with digits below the millisecond.
  func tick(_ state: inout State) -> MiniTime {
    var time = max(options.clock(), state.lastTime + 1)
    if time % 1000 == 0 { time += 1 }
    state.lastTime = time
    return MiniTime(microseconds: time)
  }

  func encoder() -> MiniEncoder {
    let draw = state.withLock { state -> UInt64 in
      state.draws += 1
      return state.draws
    }
    var generator = SplitMix64(seed: options.seed &* 0x1_0000_0001 &+ draw)
    return MiniEncoder(root: root, isAwkward: options.isAwkward, seed: generator.next())
  }

  private func put(_ path: MiniPath, _ fields: MiniFields, _ state: inout State) {
    let time = tick(&state)
    let created = state.store.document(path)?.createTime ?? time
    state.store.write(path, MiniStored(fields: fields, createTime: created, updateTime: time), at: time)
  }

  private static func parse(_ jsonLines: String, root: String) throws -> [(MiniPath, MiniFields)] {
    var documents: [(MiniPath, MiniFields)] = []
    for line in jsonLines.utf8.split(separator: 0x0A) {
      let json = try JSONReader.read(Array(line))
      guard case .string(let name)? = json["name"] else {
        throw ServiceError.invalidArgument("a line without a name")
      }
      let prefix = ByteString(root + "/")
      let relative =
        name.hasPrefix(prefix) ? ByteString(bytes: name.bytes.dropFirst(prefix.bytes.count)) : name
      let path = MiniPath(relative: relative)
      try path.check()
      guard path.isDocument else { throw ServiceError.invalidArgument("\(name) is no document's name") }
      documents.append((path, try MiniDecoder.fields(json["fields"])))
    }
    return documents
  }
}
