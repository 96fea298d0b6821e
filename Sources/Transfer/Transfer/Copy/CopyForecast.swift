package import Configuration
import FirestoreREST

extension Copy {
  /// The changes that a dry run predicts.
  package struct Forecast: Sendable, Equatable {
    /// Documents that would be created.
    package var created = 0
    /// Documents that would be updated.
    package var updated = 0
    /// Documents that would be deleted.
    package var deleted = 0
    /// The maximum of the billed operations of such a run.
    package var cost = Cost()
    /// Documents that the target has already.
    fileprivate var existing = 0
  }

  /// Reads and compares all documents without writing.
  ///
  /// - Throws: ``Failure``.
  package func forecast(_ plan: Plan) async throws -> Forecast {
    defer { context.progress.end() }
    context.progress.begin("compare", total: plan.isCounted ? plan.documents : nil)
    let forecast = Locked(Forecast())
    let start = try CopyPosition(plan, resuming: nil)
    var references = references(from: start)
    let reader = CopyReader(copy: self, plan: plan)
    let ofSource = try await reader.forEachPage(from: start, &references) { page, _ in
      let current = try await context.client.batchGet(page.map(\.path))
      for document in page {
        var document = document
        document.fields = document.fields.asStored
        var decision = options.job.mode.decide(.decoded(document), current: current[document.path])
        if let violation = DocumentLimits.violations(of: document).first {
          decision = .rejected(FirestoreError(.invalidArgument, violation.message))
        }
        context.counts.update(document.path.collection) {
          $0.read += 1
          switch decision {
          case .change: $0.skipped += 1
          case .unchanged: $0.unchanged += 1
          case .rejected: $0.rejected += 1
          }
        }
        forecast.withLock {
          let exists = current[document.path] != nil
          if exists { $0.existing += 1 }
          guard case .change = decision else { return }
          if exists { $0.updated += 1 } else { $0.created += 1 }
        }
        if case .rejected(let error, _) = decision {
          try context.rejects.add(
            document.path,
            code: error.status.name,
            message: error.message,
            document: RawDocument(path: document.path, fields: document.fields)
          )
        }
        try context.counts.assertBudget()
      }
    }
    options.job.report(references.counts, to: context.client.database, context.logger)
    return forecast.withLock {
      let read = context.counts.totals.read
      // Mode create looks at the target only after a commit has failed, and then at all documents of that commit.
      let failing = $0.existing.multipliedClamped(by: options.limits.maximumWrites)
      let ofTarget = options.job.mode == .create ? min(read, failing) : read
      $0.cost = Cost(reads: plan.overhead + ofSource + ofTarget, writes: $0.created + $0.updated)
      guard mayDelete(plan) else { return $0 }
      $0.deleted = plan.extraneous
      $0.cost = $0.cost + costOfDeletions(plan)
      return $0
    }
  }
}
