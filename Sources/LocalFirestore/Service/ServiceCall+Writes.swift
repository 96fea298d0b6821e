import FirestoreModels

extension ServiceCall {
  /// `documents:commit`: applies all writes atomically.
  func commit(_ database: DatabaseName) throws {
    let request = try decoder.commit(self.request.body, in: database)
    for write in request.writes { try WriteValidation.check(write) }
    var transaction: TransactionTable.Transaction?
    if let id = request.transaction {
      transaction = try service.transactions.end(id, in: database)
      if transaction?.isReadOnly == true, !request.writes.isEmpty {
        throw FirestoreError.invalid("Cannot modify entities in a read-only transaction.")
      }
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
    var bytes = Array("{".utf8)
    if !results.isEmpty {
      bytes.append(contentsOf: "\"writeResults\":[".utf8)
      for (index, result) in results.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.append(result, to: &bytes)
      }
      bytes.append(contentsOf: "],".utf8)
    }
    bytes.appendTime("commitTime", commitTime)
    bytes.append(UInt8(ascii: "}"))
    out.bytes.append(contentsOf: bytes)
  }

  private static func append(_ result: WriteApplier.Result, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    if let updateTime = result.updateTime { bytes.appendTime("updateTime", updateTime) }
    if !result.transforms.isEmpty {
      if result.updateTime != nil { bytes.append(UInt8(ascii: ",")) }
      var json = JSONWriter()
      json.array { list in
        for value in result.transforms { list.value(value) }
      }
      bytes.append(contentsOf: "\"transformResults\":".utf8)
      bytes.append(contentsOf: json.bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// `documents:batchWrite`: applies each write on its own, with a status each.
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
    if request.writes.isEmpty {
      out.bytes.append(contentsOf: "{}".utf8)
      return
    }
    var results = Array("{\"writeResults\":[".utf8)
    var statuses = Array("],\"status\":[".utf8)
    for (index, write) in request.writes.enumerated() {
      if index > 0 {
        results.append(UInt8(ascii: ","))
        statuses.append(UInt8(ascii: ","))
      }
      do {
        let result = try store.write(database) { transaction, _ in
          try WriteApplier(database, runner).apply(write, to: &transaction)
        }
        Self.append(result, to: &results)
        statuses.append(contentsOf: "{}".utf8)
      } catch let error as FirestoreError {
        results.append(contentsOf: "{}".utf8)
        statuses.append(contentsOf: "{\"code\":\(error.status.rawValue),\"message\":".utf8)
        statuses.appendQuoted(error.message)
        statuses.append(UInt8(ascii: "}"))
      }
    }
    out.bytes.append(contentsOf: results)
    out.bytes.append(contentsOf: statuses)
    out.bytes.append(contentsOf: "]}".utf8)
  }

  /// `documents:beginTransaction`.
  func beginTransaction(_ database: DatabaseName) throws {
    let options = try decoder.beginTransaction(request.body)
    let id = service.transactions.begin(options, in: database)
    out.bytes.append(contentsOf: "{\"transaction\":\"\(id.base64)\"}".utf8)
  }

  /// `documents:rollback`.
  func rollback(_ database: DatabaseName) throws {
    guard let id = try decoder.rollback(request.body) else {
      throw FirestoreError.invalid("The transaction is missing.")
    }
    // Clients roll back after a failed commit, which has already ended the transaction.
    _ = try? service.transactions.end(id, in: database)
    out.bytes.append(contentsOf: "{}".utf8)
  }
}
