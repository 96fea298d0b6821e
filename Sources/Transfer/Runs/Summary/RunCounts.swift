package import FirestoreModels
import Synchronization

/// The counts of a run, by collection, counted from any task.
package final class RunCounts: Sendable {
  private struct State {
    var order: [CollectionPath] = []
    var counts: [CollectionPath: DocumentCounts] = [:]
    var files: [CollectionPath: String] = [:]
  }

  private let state: Mutex<State>
  private let budget: ErrorBudget?

  /// Empty counts, or those that a resumed run continues from.
  package init(budget: ErrorBudget? = nil, resuming collections: [RunSummary.Collection] = []) {
    self.budget = budget
    var kept = State()
    for collection in collections {
      guard let path = CollectionPath(collection.name) else { continue }
      kept.order.append(path)
      kept.counts[path] = collection.counts
      kept.files[path] = collection.file
    }
    state = Mutex(kept)
  }

  /// Lists a collection by its own path, also where nothing comes to be counted for it.
  package func open(_ collection: CollectionPath) {
    state.withLock { state in
      if state.counts[collection] == nil {
        state.order.append(collection)
        state.counts[collection] = DocumentCounts()
      }
    }
  }

  /// Counts something for a collection.
  ///
  /// Collections below documents that were not opened are counted by their kind, as `groups/*/members`, because there
  /// may be one for every document.
  package func update(_ collection: CollectionPath, _ change: (inout DocumentCounts) -> Void) {
    state.withLock { state in
      let name = state.counts[collection] == nil ? collection.pattern : collection
      if state.counts[name] == nil { state.order.append(name) }
      change(&state.counts[name, default: DocumentCounts()])
    }
  }

  /// Stops a run that has more errors than it may have; to be called when one has been counted.
  ///
  /// - Throws: `.inputMalformed`.
  package func assertBudget() throws(Failure) {
    guard let budget, budget.isExceeded(by: totals) else { return }
    let totals = totals
    throw Failure(
      .inputMalformed,
      "go on",
      cause:
        "\(totals.rejected.addingClamped(totals.conflicted)) of \(totals.read) documents were rejected or conflicted",
      remedy: "See rejects.jsonl of the run, or allow more with --max-errors."
    )
  }

  /// Names the file of a collection.
  package func setFile(_ file: String, of collection: CollectionPath) {
    open(collection)
    state.withLock { $0.files[collection] = file }
  }

  /// The counts of one collection.
  package subscript(collection: CollectionPath) -> DocumentCounts {
    state.withLock { $0.counts[collection] ?? DocumentCounts() }
  }

  /// The counts for the summary, in the order in which the collections came.
  package var collections: [RunSummary.Collection] {
    state.withLock { state in
      state.order.map {
        RunSummary.Collection(
          name: $0.string,
          counts: state.counts[$0] ?? DocumentCounts(),
          file: state.files[$0]
        )
      }
    }
  }

  /// The sum over all collections.
  package var totals: DocumentCounts {
    state.withLock { $0.counts.values.reduce(DocumentCounts(), +) }
  }

  /// Asserts that every document of a run that ended is accounted for.
  ///
  /// - Throws: `.internal` naming the collection whose sum does not hold.
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
