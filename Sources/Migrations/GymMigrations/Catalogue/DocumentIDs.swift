import Schema

/// Backfills a missing `id` with the document's ID.
///
/// An existing `id` is kept, even if it is wrong: other documents may refer to it, so a person must decide.
package struct DocumentIDs: Migration {
  /// The findings about a document; the raw value is the code in reports.
  package enum Code: String, Sendable, CaseIterable {
    /// `id` is not the document's ID. A review.
    case idDiffers = "id-differs"
    /// `id` is not a text. A reject.
    case wrongType = "wrong-type"
  }

  /// Why a field is written; the raw value is the reason in plans.
  package enum Reason: String, Sendable, CaseIterable {
    case idMissing = "id-from-document"
  }

  package let id = "ids"
  package let summary = "Writes id where it is missing: the document's own id."
  /// The collections whose documents have the field, according to the schema.
  package let reads = GymSchema.schema.collections.filter { $0.idField != nil }.map(\.pattern)

  package var strategy: MigrationStrategy { .perDocument(reads, outcome) }

  package init() {}

  /// Returns the outcome of one document; a document of another collection is left unchanged.
  package func outcome(for document: RawDocument) -> Outcome {
    guard reads.contains(document.path.collection) else { return Outcome(.unchanged) }
    let existing: String?
    do throws(WrongType) {
      existing = try document.text(CommonField.id)
    } catch {
      return Outcome(error)
    }
    let own = document.path.id
    guard let existing else {
      let edit: FieldEdit = [CommonField.id: .string(own)]
      return Outcome(.change(document.changing(edit, reasons: [Reason.idMissing.rawValue])))
    }
    if existing.isIdentical(to: own) { return Outcome(.unchanged) }
    let message = "id is not the document's id; it stays, because other documents may name it."
    return Outcome(.skip, findings: [document.finding(.review, Code.idDiffers, CommonField.id, message)])
  }
}
