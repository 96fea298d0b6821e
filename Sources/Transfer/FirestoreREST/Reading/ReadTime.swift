package import Configuration
package import FirestoreModels
package import Logging

/// The choice of the read time (`--read-time`).
package enum ReadTimeChoice: Sendable, Equatable {
  /// The server's time at the start, for the entire run, if the service supports it (the default).
  case pinned
  /// The server's time at the start; an error if the service does not support it.
  case now
  case at(Timestamp)
  /// The present of each page.
  case none

  /// The given time; nil for the other choices.
  package var moment: Timestamp? {
    if case .at(let moment) = self { moment } else { nil }
  }

  /// Parses `now`, `none` or an RFC 3339 time.
  package init?(parsing text: String) {
    switch text {
    case "now": self = .now
    case "none": self = .none
    default:
      guard let moment = Timestamp(text) else { return nil }
      self = .at(moment)
    }
  }
}

/// Determines the read time of a run.
package struct ReadTimePinning: Sendable {
  private let client: FirestoreClient
  private let environment: DatabaseEnvironment
  private let logger: Logger

  package init(client: FirestoreClient, environment: DatabaseEnvironment, logger: Logger) {
    self.client = client
    self.environment = environment
    self.logger = logger
  }

  /// Returns the read time; nil for the present of each page.
  ///
  /// It is the server's own time, from the response to reading one document; this machine's clock is not
  /// trusted. A server other than Google's may not report it; then the present is read. The official emulator
  /// refuses `readTime` on GETs, so any other server is tested with one document first.
  ///
  /// - Parameter collection: The collection for that test.
  /// - Throws: ``Failure``; of kind `configuration` if a read time is required and the service does not
  ///   report its time.
  package func pin(_ choice: ReadTimeChoice, probing collection: CollectionPath?) async throws -> Timestamp? {
    switch choice {
    case .none: return nil
    case .at(let moment): return moment
    case .now, .pinned: break
    }
    guard let moment = try await serverTime(isWanted: choice == .now)?.flooredToMicroseconds else {
      if choice == .pinned {
        logger.notice("This server does not report its time; the present is read.")
        return nil
      }
      throw Failure(
        .configuration,
        "set the read time",
        cause: "the service does not report its time",
        remedy: "Give a time, or --read-time none."
      )
    }
    guard choice == .pinned, !environment.isRealService, let collection else { return moment }
    do {
      let read = CollectionRead(collection, pageSize: 1, readTime: moment)
      for try await _ in client.pages(of: read) { break }
      return moment
    } catch let failure as Failure where failure.service?.status == .invalidArgument {
      logger.notice("This server does not support a read time; the present is read.")
      return nil
    }
  }

  private func serverTime(isWanted: Bool) async throws(Failure) -> Timestamp? {
    let document = DocumentPath(CollectionPath(nil, CollectionSelection.ownPrefix), "lock")
    if isWanted || environment.isRealService { return try await client.serverTime(reading: document) }
    do throws(Failure) {
      return try await client.within(FirestoreClient.patience).serverTime(reading: document)
    } catch {
      if error.kind == .interrupted { throw error }
      return nil
    }
  }
}

extension Failure {
  /// Returns a clear failure if the read time has expired; otherwise itself.
  ///
  /// - Parameter remedy: The alternative to reading the present, as the beginning of a sentence, such as
  ///   `Export fewer`.
  package func explainingClosedWindow(since readTime: Timestamp, remedy: String) -> Failure {
    guard let service, service.status == .invalidArgument || service.status == .failedPrecondition else {
      return self
    }
    var failure = self
    failure.kind = .unavailable
    failure.cause = "the read time \(readTime) is no longer readable (\(service))"
    failure.remedy = "\(remedy), or give --read-time none to read the present, which mixes read times."
    return failure
  }
}
