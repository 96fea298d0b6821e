// How far back the service can read: an hour, or seven days in whole minutes with point-in-time recovery.

extension FirestoreClient {
  /// Checks that the service can read as of a moment, by reading one document as of that moment.
  ///
  /// A server that does not support read times at all reports that when documents are read.
  ///
  /// - Throws: ``Failure``: `.usage` for a moment in the future, `.inputMissing` for one outside of the window, with the
  ///   earliest possible moment as far as it can be determined.
  package func assertReadable(at moment: Timestamp) async throws(Failure) {
    do throws(Failure) {
      _ = try await batchGet([Self.probe], mask: [.documentName], readTime: moment)
    } catch {
      guard let service = error.service else { throw error }
      if service.refusesFutureReadTime {
        throw Failure(
          .usage,
          "read at",
          path: moment.description,
          cause: "it is in the future, by the service's clock",
          remedy: "Give a moment that has passed."
        )
      }
      if service.refusesOldReadTime { throw Self.outside(moment, earliest: await earliestMoment()) }
      if !service.refusesProbe { throw error }
    }
  }

  /// Returns the earliest moment that can be read; nil if it cannot be determined.
  ///
  /// It comes from the settings of the database, or else is an hour ago by the service's clock. It is a whole minute, and
  /// so stays readable for a while, unless the database is younger than an hour.
  ///
  /// - Parameter now: The present by the service's clock; nil to ask for it, which is a read.
  package func earliestMoment(at now: Timestamp? = nil) async -> Timestamp? {
    let settings = try? await quickly.describeDatabase()
    var present = now
    if present == nil { present = try? await quickly.reportedTime() }
    let hourAgo = present.flatMap { Timestamp(seconds: $0.seconds - 3600) }
    guard let earliest = settings?.earliestVersionTime ?? hourAgo else { return nil }
    let isFixed = hourAgo.map { earliest.seconds > $0.seconds + 60 } ?? false
    return isFixed ? earliest : earliest.nextMinute
  }

  private static func outside(_ moment: Timestamp, earliest: Timestamp?) -> Failure {
    let isWithin = earliest.map { $0 <= moment } ?? false
    return Failure(
      .inputMissing,
      "read at",
      path: moment.description,
      cause: isWithin
        ? "before the last hour the service reads at whole minutes only"
        : "the service has no versions of that moment any more",
      remedy: isWithin
        ? "Give a whole minute."
        : "The earliest moment that works is \(earliest?.description ?? "an hour ago, or seven days ago with point-in-time recovery")."
    )
  }
}

extension Timestamp {
  /// The first whole minute after it.
  fileprivate var nextMinute: Timestamp? { Timestamp(seconds: (seconds / 60 + 1) * 60) }
}

extension FirestoreError {
  fileprivate var refusesFutureReadTime: Bool {
    [.invalidArgument, .failedPrecondition, .outOfRange].contains(status)
      && message.lowercased().contains("future")
  }
}
