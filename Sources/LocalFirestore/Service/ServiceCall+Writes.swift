extension ServiceCall {
  /// `documents:commit`: applies all writes atomically.
  func commit(_ database: DatabaseName) throws {
    let request = try decoder.commit(self.request.body, in: database)
    for write in request.writes { try WriteValidation.check(write) }
    var transaction: TransactionTable.Transaction?
    if let id = request.transaction {
      // A refused commit does not end the transaction.
      if try service.transactions.transaction(id, in: database).isReadOnly, !request.writes.isEmpty {
        throw FirestoreError.invalid("Cannot modify entities in a read-only transaction.")
      }
      transaction = try service.transactions.end(id, in: database)
    }
    let (results, commitTime) = try store.write(database) { writing, snapshot in
      if let transaction, let readTime = transaction.readTime {
        for read in transaction.reads where try snapshot.changed(read.scope, read.range, since: readTime) {
          throw FirestoreError(
            .aborted,
            "Aborted due to cross-transaction contention: what the transaction read has changed. Please try again."
          )
        }
      }
      let applier = WriteApplier(database, runner)
      let results = try request.writes.map { try applier.apply($0, to: &writing) }
      return (results, writing.commitTime)
    }
    respond {
      $0.object {
        $0.member("writeResults", results) { result, json in Self.write(result, to: &json) }
        $0.member("commitTime", Timestamp(microseconds: commitTime))
      }
    }
  }

  private static func write(_ result: WriteApplier.Result, to json: inout JSONWriter) {
    json.object {
      $0.member("updateTime", result.updateTime.map { Timestamp(microseconds: $0) })
      $0.member("transformResults", result.transforms) { value, json in json.value(value) }
    }
  }

  /// `documents:batchWrite`: applies each write separately, with a status for each.
  func batchWrite(_ database: DatabaseName) throws {
    let request = try decoder.batchWrite(self.request.body, in: database)
    var seen: Set<DocumentPath> = []
    for write in request.writes {
      try WriteValidation.check(write)
      guard seen.insert(write.path).inserted else {
        throw FirestoreError.invalid(
          "The same document cannot be written more than once in a single request."
        )
      }
    }
    var results: [(result: WriteApplier.Result, error: FirestoreError?)] = []
    for write in request.writes {
      do {
        let result = try store.write(database) { transaction, _ in
          try WriteApplier(database, runner).apply(write, to: &transaction)
        }
        results.append((result, nil))
      } catch let error as FirestoreError {
        results.append((WriteApplier.Result(), error))
      }
    }
    respond {
      $0.object {
        $0.member("writeResults", results) { Self.write($0.result, to: &$1) }
        $0.member("status", results) { write, json in
          json.object {
            $0.member("code", write.error?.status.rawValue)
            $0.member("message", write.error?.message)
          }
        }
      }
    }
  }

  func beginTransaction(_ database: DatabaseName) throws {
    let options = try decoder.beginTransaction(request.body)
    let id = try service.begin(options, in: database)
    out.bytes.append(contentsOf: "{\"transaction\":\"\(id.base64)\"}".utf8)
  }

  func rollback(_ database: DatabaseName) throws {
    guard let id = try decoder.rollback(request.body) else {
      throw FirestoreError.invalid("The transaction is missing.")
    }
    try service.transactions.isReadOnly(id)
    // Clients roll back after a failed commit, which has already ended the transaction.
    _ = try? service.transactions.end(id, in: database)
    out.bytes.append(contentsOf: "{}".utf8)
  }
}
