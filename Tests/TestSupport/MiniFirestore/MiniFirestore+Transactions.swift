import Synchronization

/// Transactions: optimistic, so that a commit is aborted where a document that was read has changed. What a query would
/// find now and did not find then goes unnoticed.
extension MiniFirestore {
  func beginTransaction(_ call: MiniCall) throws -> JSON {
    try call.checkParameters([])
    let body = try call.body(["options"])
    _ = try MiniDecoder.isTransaction(body["options"], "options")
    var encoder = encoder()
    return encoder.object([JSON.Member("transaction", .string(beginTransaction()))])
  }

  func beginTransaction() -> ByteString {
    state.withLock { state in
      state.transactionsBegun += 1
      let id = ByteString("transaction+\(state.transactionsBegun)/==")
      state.transactions[id] = [:]
      return id
    }
  }

  func rollback(_ call: MiniCall) throws -> JSON {
    try call.checkParameters([])
    guard let id = try MiniDecoder.text(call.body(["transaction"])["transaction"], "transaction") else {
      throw ServiceError.invalidArgument("no transaction")
    }
    state.withLock { _ = $0.transactions.removeValue(forKey: id) }
    return .object([])
  }

  /// Keeps what a transaction read.
  func record(_ documents: [(MiniPath, MiniTime?)], in transaction: ByteString) throws {
    try state.withLock { state in
      guard state.transactions[transaction] != nil else { throw Self.expired }
      for (path, time) in documents { state.transactions[transaction]?.updateValue(time, forKey: path) }
    }
  }

  /// Ends a transaction before its writes are applied.
  static func end(_ transaction: ByteString, _ state: inout State) throws {
    guard let read = state.transactions.removeValue(forKey: transaction) else { throw expired }
    for (path, time) in read where state.store.document(path)?.updateTime != time {
      throw ServiceError.aborted
    }
  }

  private static var expired: ServiceError {
    .invalidArgument("The referenced transaction has expired or is no longer valid.")
  }
}

extension MiniDecoder {
  /// Whether there are options of a transaction; they have to be those of one that writes.
  static func isTransaction(_ options: JSON?, _ name: String) throws -> Bool {
    guard let options, options != .null else { return false }
    let members = try members(options, name, allowed: ["readWrite"])
    _ = try Self.members(members["readWrite"] ?? .object([]), name, allowed: ["retryTransaction"])
    return true
  }
}
