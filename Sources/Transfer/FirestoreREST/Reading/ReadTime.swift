package import Configuration
package import FirestoreModels
package import Logging

/// The moment that a run reads at (`--read-time`).
package enum ReadTimeChoice: Sendable, Equatable {
  /// The server's present at the beginning, for the whole run, where the service allows it (the default).
  case pinned
  /// The server's present at the beginning, or an error where the service does not allow it.
  case now
  /// This moment.
  case at(Timestamp)
  /// Whatever is there when each page is read.
  case none

  /// The moment that was named, nil for the others.
  package var moment: Timestamp? {
    if case .at(let moment) = self { moment } else { nil }
  }

  /// Parses `now`, `none` or an RFC 3339 time; nil otherwise.
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

/// Fixes the moment that a run reads at.
package struct ReadTimePinning: Sendable {
  private let client: FirestoreClient
  private let environment: DatabaseEnvironment
  private let logger: Logger

  /// Makes one for a database.
  package init(client: FirestoreClient, environment: DatabaseEnvironment, logger: Logger) {
    self.client = client
    self.environment = environment
    self.logger = logger
  }

  /// The moment to read at, nil for the present of each page.
  ///
  /// The moment is the server's own, from its answer to a look at one document; this machine's clock is not trusted.
  /// A server other than Google's may not report it: its present is read then. The official emulator refuses `readTime`
  /// on GETs, so a server that may be one is asked for a document first.
  ///
  /// - Parameter collection: What to try it on.
  /// - Throws: ``Failure``; of kind `configuration` where the moment is wanted and the service does not report its time.
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
        "pin the moment to read at",
        cause: "the service does not report its time",
        remedy: "Give the moment itself, or --read-time none."
      )
    }
    guard choice == .pinned, !environment.isRealService, let collection else { return moment }
    do {
      let read = CollectionRead(collection, pageSize: 1, readTime: moment)
      for try await _ in client.pages(of: read) { break }
      return moment
    } catch let failure as Failure where failure.service?.status == .invalidArgument {
      logger.notice("This server does not read at a fixed moment; the present is read.")
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
  /// Says it plainly where a read at a pinned moment failed because that moment is no longer kept; itself otherwise.
  ///
  /// - Parameter remedy: What to do instead of reading the present, as the beginning of a sentence: `Export fewer`.
  package func explainingClosedWindow(since readTime: Timestamp, remedy: String) -> Failure {
    guard let service, service.status == .invalidArgument || service.status == .failedPrecondition else {
      return self
    }
    var failure = self
    failure.kind = .unavailable
    failure.cause =
      "the moment that everything was to be read at, \(readTime), is no longer readable (\(service))"
    failure.remedy = "\(remedy), or give --read-time none to read the present, which mixes moments."
    return failure
  }
}
