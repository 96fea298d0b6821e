package import Configuration
package import Logging

/// The choice of the read time (`--read-time`).
package enum ReadTimeChoice: Sendable, Equatable {
  /// The server's time at the start, for the entire run, if the service supports it (the default).
  case pinned
  /// The server's time at the start; an error if the service does not support it.
  case now
  case at(Timestamp)
  /// The present, separately for each page.
  case none

  /// Creates the choice of a known moment; nil to read each page as of the present.
  package init(_ moment: Timestamp?) { self = moment.map { .at($0) } ?? .none }

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

extension FirestoreClient {
  /// Returns the read time of a run; nil to read each page as of the present.
  ///
  /// It is the server's own time, from the response to reading one document, because this machine's clock is not trusted. A
  /// server other than Google's may not report it; then the present is read. The official emulator refuses `readTime` on
  /// GETs, so any other server is tested with one list first, and then with a query. The read time should be determined
  /// before anything else is read, so that everything in a run is as of that moment, including the list of its collections.
  ///
  /// - Throws: ``Failure``, including after an outage; of kind `configuration` if a read time is required and the service
  ///   does not report its time; the errors of ``assertReadable(at:)`` for a given time.
  package func readTime(
    _ choice: ReadTimeChoice,
    of environment: DatabaseEnvironment,
    _ logger: Logger
  ) async throws -> Timestamp? {
    switch choice {
    case .none: return nil
    case .at(let moment):
      let moment = moment.flooredToMicroseconds
      try await assertReadable(at: moment)
      if !environment.isRealService, try await !reads(at: moment) { lists.giveUp() }
      return moment
    case .now, .pinned: break
    }
    guard let moment = try await reportedTime() else {
      if choice == .pinned, !environment.isRealService {
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
    guard choice == .pinned, !environment.isRealService else { return moment }
    if try await reads(at: moment) { return moment }
    lists.giveUp()
    if try await reads(at: moment) { return moment }
    lists.restore()
    logger.notice("This server does not support a read time; the present is read.")
    return nil
  }

  /// Whether the server can read as of a moment.
  private func reads(at moment: Timestamp) async throws -> Bool {
    do {
      var read = CollectionRead(Self.probe.collection, pageSize: 1, readTime: moment)
      read.readsAhead = false
      for try await _ in pages(of: read) { break }
      return true
    } catch let failure as Failure where failure.service?.status == .invalidArgument {
      return false
    }
  }
}

extension FirestoreClient {
  /// A document that may or may not exist in any database.
  static let probe = DocumentPath(CollectionPath(nil, CollectionSelection.ownPrefix), "lock")

  /// Returns the server's time, as a read time; nil if the server does not report it.
  ///
  /// - Throws: ``Failure`` if the server cannot be reached or refuses the credentials, which leaves the question open.
  func reportedTime() async throws(Failure) -> Timestamp? {
    do throws(Failure) {
      return try await serverTime(reading: Self.probe)?.flooredToMicroseconds
    } catch {
      guard error.service?.refusesProbe ?? false else { throw error }
      return nil
    }
  }

  /// Returns a read that is not disturbed by writes to its own documents.
  ///
  /// A read in name order is returned as it is. In another order, a document that was written may come again, so all pages
  /// are read as of one moment; on a server that does not report its time, the documents are read by name, and the client
  /// evaluates the filter.
  package func steady(_ read: CollectionRead) async throws(Failure) -> CollectionRead {
    if read.isOrderedByName || read.readTime != nil { return read }
    var steady = read
    steady.readTime = try await reportedTime()
    if steady.readTime == nil { (steady.filtersHere, steady.orderBy) = (true, []) }
    return steady
  }
}

extension FirestoreError {
  /// Whether the server lacks the method altogether, or refuses the request for one of the tool's own documents.
  var refusesProbe: Bool {
    [.unimplemented, .invalidArgument, .outOfRange].contains(status)
      || (!isFromService && (code == 404 || code == 405))
  }

  /// Whether the service refuses the read time as too old.
  ///
  /// The only indication is the message, such as "The requested snapshot version is too old." An unknown message leaves the
  /// error as it is, which is never wrong.
  package var refusesOldReadTime: Bool {
    guard status == .invalidArgument || status == .failedPrecondition || status == .outOfRange else {
      return false
    }
    let text = message.lowercased()
    if text.contains("future") { return false }
    return text.contains("too old")
      || ["read_time", "readtime", "read time", "snapshot version", "version_time"].contains {
        text.contains($0)
      }
  }
}

extension CollectionPages {
  /// Does the same as ``next(of:)``, except that a failure due to the read time says so.
  ///
  /// - Parameter remedy: See ``Failure/explainingClosedWindow(since:remedy:)``.
  package func next(
    of index: Int,
    at readTime: Timestamp?,
    orElse remedy: String
  ) async throws -> [RawDocument]? {
    do {
      return try await next(of: index)
    } catch let failure as Failure {
      throw failure.explainingClosedWindow(since: readTime, remedy: remedy)
    }
  }
}

extension Failure {
  /// What to append to the remedy of a command with `--read-time`.
  package static let orReadPresent = "or give --read-time none to read the present, which mixes read times."

  /// Returns a clear failure if the read time has expired; otherwise, and without a read time, returns itself.
  ///
  /// - Parameter remedy: A sentence on what to do.
  package func explainingClosedWindow(since readTime: Timestamp?, remedy: String) -> Failure {
    guard let readTime, let service, service.refusesOldReadTime else { return self }
    var failure = self
    (failure.kind, failure.isRefusal) = (.unavailable, true)
    failure.cause = "the read time \(readTime) is no longer readable (\(service))"
    failure.remedy = remedy
    return failure
  }
}
