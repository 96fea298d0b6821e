/// What an import reports at its end besides the counts of documents, up to a checkpoint; a resumed import adds to it.
///
/// What it reports about changes is in the journal.
struct ImportTally: Codable, Sendable {
  /// The rejected documents by code or reason.
  var rejected: [String: Int]
  /// As ``DocumentLoader/droppedTimes``.
  var droppedTimes: Int
  /// As ``SkippedFields/count``.
  var completed: Int
  /// The lines of `warnings.csv`.
  var warnings: ValidationReport.Tally
}
