import Logging
import Transfer

extension CopyJob {
  /// Whether everything that was read back is as it was written, and everything that was counted was read; says both.
  ///
  /// - Parameter extraneous: As ``Copy/run(_:)`` returns it.
  func isVerified(
    _ copy: Copy,
    _ plan: Copy.Plan,
    without extraneous: [CollectionPath: Int],
    _ session: Session
  ) async throws -> Bool {
    guard let readBack = copy.readBack else { return true }
    session.logger.notice("\(CopyText.verified(readBack.counts))")
    let count = try await CopyCount(copy, plan, without: extraneous).differences()
    if count.counted > 0 {
      session.logger.notice("Counted in the source: \(NumberText.counted(count.counted, "document")).")
    }
    for difference in count.differences {
      session.logger.warning("\(CopyText.difference(difference))")
    }
    return !readBack.foundDifferences && count.differences.isEmpty
  }
}

extension CopyText {
  /// What became of documents that were read back.
  static func verified(_ counts: ReadBack.Counts) -> String {
    let others =
      counts.changedSince == 0 ? "" : " Changed since by others: \(NumberText.grouped(counts.changedSince))."
    return
      "Read back: \(NumberText.counted(counts.asWritten, "document")) as written, \(NumberText.grouped(counts.differing)) not.\(others)"
  }

  /// A collection of which another number was read than the source has.
  static func difference(_ difference: CopyCount.Difference) -> String {
    "\(difference.collection) has \(NumberText.counted(difference.counted, "document")) at the read time, and \(NumberText.grouped(difference.read)) were read. Compare the two sides: gymmigrate diff."
  }
}
