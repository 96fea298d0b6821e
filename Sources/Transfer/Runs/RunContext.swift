package import Configuration
package import FirestoreREST
package import Logging
package import Schema

/// What an operation of one run needs besides its own options: a database, a run directory, counts and output.
///
/// The command line creates one context for each run and passes it to the operation:
///
///     let context = RunContext(database, folder: folder, checkpoints: checkpoints)
///     try await Export(options, in: context).run()
package struct RunContext: Sendable {
  /// The database that the run works on, with its counts and output.
  package let database: DatabaseContext
  /// The run directory, for lists and temporary files.
  package let folder: RunDirectory
  /// The journal and checkpoints of a writing run, which make it resumable; nil for a run that only reads and for a dry
  /// run.
  package let checkpoints: Checkpoints?
  /// The run's `rejects.jsonl`.
  package let rejects: RejectList
  /// Lists a document that a resumed run had written and leaves as somebody has changed it since.
  ///
  /// - Throws: `.cannotWrite`.
  package let noteChange: @Sendable (DocumentPath) throws(Failure) -> Void

  package init(
    _ database: DatabaseContext,
    folder: RunDirectory,
    checkpoints: Checkpoints? = nil,
    noteChange: @escaping @Sendable (DocumentPath) throws(Failure) -> Void = { _ in }
  ) {
    self.database = database
    self.noteChange = noteChange
    self.folder = folder
    self.checkpoints = checkpoints
    rejects = RejectList(folder)
  }

  package var environment: DatabaseEnvironment { database.environment }
  package var client: FirestoreClient { database.client }
  package var schema: DatabaseSchema { database.schema }
  package var counts: RunCounts { database.counts }
  package var progress: Progress { database.progress }
  package var logger: Logger { database.logger }

  /// The paths of the lists that any run that writes documents may have.
  package var lists: [String] { [rejects.path, folder.file("findings.csv")] }

  /// The journal of a run that writes: each change is recorded there before it is sent.
  package var journal: Journal? { checkpoints?.journal }

  /// Counts a document that was read but will not be written, and lists it with the reason.
  ///
  /// With the code ``WriteMode/changedSince`` it counts as conflicted, otherwise as rejected.
  ///
  /// - Parameters:
  ///   - collection: The collection that it is counted for; nil for its own.
  ///   - reason: The reason that it is counted under; nil for the code.
  ///   - document: What the list has of it, as in ``RejectList/line(_:code:message:document:)``.
  /// - Throws: `.cannotWrite`; `.inputMalformed` if the error budget is exceeded.
  package func reject(
    _ path: DocumentPath,
    in collection: CollectionPath? = nil,
    code: String,
    countedAs reason: String? = nil,
    message: String,
    document: RawDocument?
  ) throws(Failure) {
    counts.update(collection ?? path.collection) {
      $0.read += 1
      if code == WriteMode.changedSince { $0.conflicted += 1 } else { $0.rejected += 1 }
    }
    try rejects.add(path, code: code, countedAs: reason, message: message, document: document)
    try counts.assertBudget()
  }

  /// Counts the result of a write together with reading its document, so that the counts of an interrupted run balance.
  ///
  /// A document that was not written is also listed.
  ///
  /// - Parameters:
  ///   - conflict: A sentence on why a document that others changed is left alone.
  ///   - document: What the list has of the document.
  /// - Throws: The errors of ``reject(_:in:code:countedAs:message:document:)``.
  package func settle(
    _ write: Write,
    _ result: WriteResult,
    conflict: String,
    document: @autoclosure () -> RawDocument? = nil
  ) throws(Failure) {
    counts.update(write.path.collection) {
      $0.read += 1
      $0.settle(write.kind, result)
    }
    let refusal: (code: String, message: String)? =
      switch result {
      case .rejected(let error): (error.status.name, error.message)
      case .conflicted: (WriteMode.changedSince, conflict)
      case .written, .unchanged, .skipped: nil
      }
    if let (code, message) = refusal {
      try rejects.add(write.path, code: code, message: message, document: document())
    }
    try counts.assertBudget()
  }
}
