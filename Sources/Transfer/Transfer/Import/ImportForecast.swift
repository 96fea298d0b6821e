import FirestoreREST
import Logging

/// Predicts, in a dry run, what the import would do with existing documents.
///
/// Only the first documents are compared, because each costs a billed read. An unreachable database is not an error,
/// because files can be checked without one.
struct ImportForecast {
  /// The maximum number of documents to compare.
  private static let maximum = 10_000

  private let loader: DocumentLoader
  private let context: RunContext
  private var (unchanged, total, compared) = (0, 0, 0)
  /// The foreseen changes of existing documents, and the new documents.
  private(set) var changes = ForeseenChanges()
  /// Why the database could not be read.
  private var failure: Failure?

  /// Whether any documents were compared with the database.
  var hasLooked: Bool { compared > 0 }

  init(_ loader: DocumentLoader, in context: RunContext) {
    (self.loader, self.context) = (loader, context)
  }

  /// Counts documents by what would happen to them; those that would be written are counted as skipped.
  ///
  /// - Throws: ``Failure``.
  mutating func take(_ documents: [LoadDocument]) async throws {
    var valid: [LoadDocument] = []
    for document in documents {
      if let violation = DocumentLimits.violations(of: document.document).first {
        try reject(document, code: "INVALID_ARGUMENT", message: violation.message)
      } else {
        valid.append(document)
      }
    }
    let decisions = try await decisions(on: Array(valid.prefix(max(0, Self.maximum - compared))))
    total += valid.count
    compared += decisions.count
    for (document, decision) in zip(valid, decisions) { try settle(document, decision) }
    for document in valid.dropFirst(decisions.count) { count(document) { $0.skipped += 1 } }
    try context.counts.assertBudget()
  }

  private mutating func decisions(on documents: [LoadDocument]) async throws -> [WriteMode.Decision] {
    if failure != nil || documents.isEmpty { return [] }
    do {
      return try await loader.decisions(on: documents.map(\.asStored))
    } catch let failure as Failure where [.unavailable, .notPermitted].contains(failure.kind) {
      self.failure = failure
      return []
    }
  }

  private mutating func settle(_ document: LoadDocument, _ decision: WriteMode.Decision) throws {
    switch decision {
    case .rejected(let error, let breach):
      let (code, reason) = (breach ?? error.status.name, error.countedReason(breach))
      try reject(document, code: code, countedAs: reason, message: error.message)
    case .unchanged:
      unchanged += 1
      count(document) { $0.unchanged += 1 }
    case .change(let change):
      loader.decision.recording?(change)
      if change.before == nil || !change.isDeletion { changes.add(change) }
      count(document) { $0.skipped += 1 }
    }
  }

  private func reject(
    _ document: LoadDocument,
    code: String,
    countedAs reason: String? = nil,
    message: String
  ) throws {
    let listed = code == WriteMode.changedSince ? nil : loader.decision.listed(document)
    try context.reject(document.path, code: code, countedAs: reason, message: message, document: listed)
  }

  private func count(_ document: LoadDocument, as outcome: (inout DocumentCounts) -> Void) {
    context.counts.update(document.path.collection) {
      $0.read += 1
      outcome(&$0)
    }
  }

  /// Reports what would happen to the documents.
  func report(_ mode: WriteMode) {
    if let failure {
      return context.logger.warning(
        "The database was not looked at: \(failure.cause). --mode create rejects documents that are there with other fields."
      )
    }
    if compared == 0 { return }
    let first = compared < total ? " Of the first \(NumberText.grouped(compared)) documents alone:" : ""
    let found = [(changes.created, "new"), (changes.documents, "changed"), (unchanged, "unchanged")]
    let counts = found.map { "\(NumberText.grouped($0.0)) \($0.1)" }.joined(separator: ", ")
    // Includes rejected rows that yielded no document to compare.
    let totals = context.counts.totals
    let conflicted = totals.conflicted > 0 ? ", \(NumberText.grouped(totals.conflicted)) conflicted" : ""
    let rejected = "\(NumberText.grouped(totals.rejected)) rejected\(conflicted)"
    let all = first.isEmpty ? ", \(rejected)" : "; \(rejected) in all"
    context.logger.notice(
      "--mode \(mode.rawValue), as the database is now:\(first) \(counts)\(all)."
    )
  }
}

extension LoadDocument {
  fileprivate var asStored: LoadDocument {
    guard case .decoded(var document) = content else { return self }
    document.fields = document.fields.asStored
    return LoadDocument(.decoded(document), of: input)
  }
}
