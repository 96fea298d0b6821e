import Configuration
import Logging
import Schema
import Shards
import Transfer

extension CopyJob {
  /// Whether everything was read back as written, and everything counted was read; reports both.
  ///
  /// - Parameter extraneous: See ``Copy/Outcome/extraneous``.
  func isVerified(
    _ copy: Copy,
    _ plan: Copy.Plan,
    without extraneous: [CollectionPath: Int],
    _ session: Session
  ) async throws -> Bool {
    guard let readBack = copy.readBack else { return true }
    session.logger.notice("\(CopyText.verified(readBack.counts))")
    let count = try await copy.countDifferences(plan, without: extraneous)
    if count.counted > 0 {
      session.logger.notice("Counted in the source: \(NumberText.counted(count.counted, "document")).")
    }
    for difference in count.differences {
      session.logger.warning("\(CopyText.difference(difference))")
    }
    return !readBack.foundDifferences && count.differences.isEmpty
  }

  /// Reports what the tasks of a divided copy did with references, and what they read back.
  func report(_ done: ShardFinish.Copied, of plan: ShardPlan, _ logger: Logger) {
    report(done.references, to: plan.target.database, logger)
    guard let readBack = done.readBack else { return }
    logger.notice("\(CopyText.verified(readBack))")
    logger.notice("\(CopyText.uncounted)")
  }

  /// Warns of fields that identify people and left a protected environment unmasked.
  ///
  /// - Parameter collections: What was copied.
  func warnOfPeople(
    in collections: [RunSummary.Collection],
    from environment: DatabaseEnvironment,
    by schema: DatabaseSchema,
    _ logger: Logger
  ) {
    if mask != nil || keepsPersonalData || !environment.isProtected { return }
    let patterns = Set(collections.compactMap { CollectionPath($0.name)?.pattern }).sorted()
    let fields = patterns.flatMap { schema.fieldsOfPeople(in: $0) }
    if fields.isEmpty { return }
    let list = fields.joined(separator: "; ")
    logger.warning("These fields name people, and were copied as they are: \(list) (docs/masking.md).")
  }
}

extension CopyText {
  /// What the verification of a divided copy leaves out.
  static let uncounted =
    "The source of a divided copy is not counted; to compare both sides afterwards: gymmigrate diff."

  /// The result of reading documents back.
  static func verified(_ counts: ReadBack.Counts) -> String {
    let others =
      counts.changedSince == 0 ? "" : " Changed since by others: \(NumberText.grouped(counts.changedSince))."
    return
      "Read back: \(NumberText.counted(counts.asWritten, "document")) as written, \(NumberText.grouped(counts.differing)) not.\(others)"
  }

  /// A collection for which the number of read documents differs from the source's.
  static func difference(_ difference: Copy.CountDifference) -> String {
    "\(difference.collection) has \(NumberText.counted(difference.counted, "document")) at the read time, and \(NumberText.grouped(difference.read)) were read. Compare the two sides: gymmigrate diff."
  }
}
