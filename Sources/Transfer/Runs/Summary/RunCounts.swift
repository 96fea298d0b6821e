import Synchronization

/// The document counts of a run by collection, safe to update from any task.
package final class RunCounts: Sendable {
  private struct State {
    var collections: [RunSummary.Collection] = []
    var positions: [CollectionPath: Int] = [:]
    /// Documents that were decided and are counted once their write is settled.
    var inFlight = 0

    /// Returns the position of a collection, which is added if it is missing.
    mutating func position(of path: CollectionPath) -> Int {
      if let known = positions[path] { return known }
      positions[path] = collections.count
      collections.append(RunSummary.Collection(name: path.string, counts: DocumentCounts()))
      return collections.count - 1
    }
  }

  private let state: Mutex<State>
  private let budget: ErrorBudget?

  /// Creates empty counts, or those of a resumed run.
  package init(budget: ErrorBudget? = nil, resuming collections: [RunSummary.Collection] = []) {
    self.budget = budget
    var initial = State()
    for collection in collections {
      guard let path = CollectionPath(collection.name) else { continue }
      let position = initial.position(of: path)
      initial.collections[position] = collection
    }
    state = Mutex(initial)
  }

  /// Lists a collection under its own path, even if nothing will be counted for it.
  package func open(_ collection: CollectionPath) {
    state.withLock { _ = $0.position(of: collection) }
  }

  /// Updates the counts of a collection.
  ///
  /// Subcollections that were not opened are counted by their pattern, such as `groups/*/members`, because there may be one
  /// for every document.
  package func update(_ collection: CollectionPath, _ change: (inout DocumentCounts) -> Void) {
    state.withLock { state in
      let position = state.positions[collection] ?? state.position(of: collection.pattern)
      change(&state.collections[position].counts)
    }
  }

  /// Includes documents among those that the budget is a share of, until ``release(_:)``, because their writes are in flight.
  ///
  /// Rejected documents are counted at once, and would be too large a share of those that are settled.
  package func hold(_ count: Int = 1) {
    if budget != nil { state.withLock { $0.inFlight += count } }
  }

  /// Counts the writes of documents as settled.
  package func release(_ count: Int = 1) {
    if budget != nil { state.withLock { $0.inFlight = max(0, $0.inFlight - count) } }
  }

  /// Throws if the error budget is exceeded; call it after counting documents.
  ///
  /// That a document was not refused does not matter: it may be the one from which a share is judged.
  ///
  /// - Throws: `.inputMalformed`.
  package func assertBudget() throws(Failure) {
    guard let budget else { return }
    var totals = totals
    totals.read += state.withLock { $0.inFlight }
    if !budget.isExceeded(by: totals) { return }
    let looked = NumberText.counted(totals.read, "document")
    throw Failure(
      .inputMalformed,
      "continue",
      cause:
        "\(NumberText.grouped(totals.refused)) of the \(looked) looked at by then were rejected or conflicted",
      remedy: "See rejects.jsonl of the run, or allow more with --max-errors."
    )
  }

  /// Sets the file of a collection.
  package func setFile(_ file: String, of collection: CollectionPath) {
    state.withLock { state in
      let position = state.position(of: collection)
      state.collections[position].file = file
    }
  }

  /// Sets the file of a collection, and of those below it that do not have one.
  package func setFile(_ file: String, ofAllIn collection: CollectionPath) {
    setFile(file, of: collection)
    state.withLock { state in
      for index in state.collections.indices where state.collections[index].file == nil {
        let name = state.collections[index].name
        if name.utf8.starts(with: "\(collection.string)/".utf8) { state.collections[index].file = file }
      }
    }
  }

  package subscript(collection: CollectionPath) -> DocumentCounts {
    state.withLock { state in
      state.positions[collection].map { state.collections[$0].counts } ?? DocumentCounts()
    }
  }

  /// The counts for the summary, in the order in which the collections were opened.
  package var collections: [RunSummary.Collection] { state.withLock { $0.collections } }

  /// The sum over all collections.
  package var totals: DocumentCounts {
    state.withLock { $0.collections.reduce(DocumentCounts()) { $0 + $1.counts } }
  }

  /// Checks that every document of a completed run is accounted for.
  ///
  /// - Throws: `.internal` with the collection whose counts do not balance.
  package func assertBalance() throws(Failure) {
    for collection in collections where !collection.counts.balance {
      let numbers = collection.counts.members.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
      throw Failure(
        .internal,
        "account for every document of",
        path: collection.name,
        cause: numbers,
        remedy: "This is a defect of gymmigrate; please report it with this line."
      )
    }
  }
}
