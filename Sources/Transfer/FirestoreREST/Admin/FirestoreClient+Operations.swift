/// The start of an export or import.
package enum StartedOperation: Sendable, Equatable {
  case started(ManagedOperation)
  /// The response was lost, but the operation was found in the list.
  case found(ManagedOperation)
  /// The request may have started the operation, but that could not be determined.
  case uncertain(Failure)
}

/// The managed service: exports and imports that Firestore itself performs, as long-running operations
/// (`google.firestore.admin.v1.FirestoreAdmin`).
extension FirestoreClient {
  // MARK: Starting

  /// Starts an export or import exactly once.
  ///
  /// - Throws: ``Failure`` if nothing was started; `.tryLater` if the same work is already in progress.
  package func start(_ request: ManagedRequest) async throws(Failure) -> StartedOperation {
    let clock = caller.clock
    let began = clock.now()
    var start = OperationStart(request, policy: caller.policy)
    var waits = 0
    var action = OperationStart.Action.list
    while true {
      let event: OperationStart.Event
      switch action {
      case .list: event = .listed(try await listed())
      case .send:
        do throws(CallFailure) {
          event = .answered(try await startOnce(request))
        } catch {
          event = .failed(error)
        }
      case .wait(let delay):
        waits += 1
        caller.note(
          RetryNotice(rpc: request.kind.rpc, attempt: waits, delay: delay, reason: "it was not confirmed")
        )
        do {
          try await clock.sleep(delay)
        } catch {
          return .uncertain(
            Self.failure(request, .interrupted, "it was stopped", remedy: Self.perhapsStarted)
          )
        }
        event = .waited
      case .started(let operation): return .started(operation)
      case .found(let operation): return .found(operation)
      case .isRunning(let operation):
        throw Self.failure(
          request,
          .tryLater,
          "one with this prefix is running: \(operation.name)",
          remedy:
            "Wait for it with 'gymmigrate managed status \(operation.name.id) --wait', or choose another prefix."
        )
      case .fail(let failure): throw Self.failure(failure, request)
      case .giveUp(let failure):
        var uncertain = Self.failure(failure, request)
        uncertain.remedy = Self.perhapsStarted
        return .uncertain(uncertain)
      }
      action = start.handle(event, elapsed: clock.now() - began, random: clock.random())
    }
  }

  /// Returns the operations; nil if the service cannot list them.
  ///
  /// - Throws: `.interrupted`.
  private func listed() async throws(Failure) -> [ManagedOperation]? {
    do throws(Failure) {
      return try await operations()
    } catch {
      if error.kind == .interrupted { throw error }
      return nil
    }
  }

  private func startOnce(_ request: ManagedRequest) async throws(CallFailure) -> ManagedOperation {
    let verb = request.kind == .exportDocuments ? "exportDocuments" : "importDocuments"
    let (body, root) = try await caller.attempt(post("\(databaseURL):\(verb)", request.body))
    defer { withExtendedLifetime(body) {} }
    let operation = try ManagedOperation(root, of: database)
    guard operation.kind == request.kind.operation else {
      throw .foreign("the operation is of type \(operation.kind.name)")
    }
    return operation
  }

  private static func failure(_ failure: CallFailure, _ request: ManagedRequest) -> Failure {
    failure.asFailure(
      operation: "start the \(request.kind.name) of",
      path: request.prefix.description,
      of: request.kind.rpc
    )
  }

  private static func failure(
    _ request: ManagedRequest,
    _ kind: Failure.Kind,
    _ cause: String,
    remedy: String
  ) -> Failure {
    let operation = "start the \(request.kind.name) of"
    return Failure(kind, operation, path: request.prefix.description, cause: cause, remedy: remedy)
  }

  private static let perhapsStarted =
    "It may have been started all the same: 'gymmigrate managed list' shows whether it was."

  // MARK: Looking

  /// Returns the current state of an operation.
  ///
  /// - Throws: ``Failure``; `.inputMissing` if the service does not know it.
  package func operation(_ name: OperationName) async throws(Failure) -> ManagedOperation {
    try await caller.call(
      .getOperation,
      get(url(of: name)),
      operation: "look at",
      path: name.description
    ) { (_, root) throws(CallFailure) in
      let operation = try ManagedOperation(root, of: database)
      guard operation.name == name else {
        throw .foreign("the response is about '\(PathLimits.shortened(operation.name.id))'")
      }
      return operation
    }
  }

  /// Returns the operations that the service remembers, newest first.
  ///
  /// - Throws: ``Failure``, including if the list does not end.
  package func operations() async throws(Failure) -> [ManagedOperation] {
    var operations: [ManagedOperation] = []
    let name = "list the operations of"
    let endless = Failure.endless(name, path: database.description)
    try await forEachPage(orThrow: endless) { token throws(Failure) in
      var url = "\(databaseURL)/operations?prettyPrint=false&pageSize=\(Self.operationsPerPage)"
      if let token { url += "&pageToken=\(PercentEncoding.query(token))" }
      let page: (operations: [ManagedOperation], token: String?) = try await caller.call(
        .listOperations,
        HTTPRequest(method: "GET", url: url),
        operation: name,
        path: database.description
      ) { (_, root) throws(CallFailure) in
        let page = try root.list("operations", called: "the operations") { json throws(CallFailure) in
          try ManagedOperation(json, of: database)
        }
        return (page, root.nextPageToken)
      }
      operations += page.operations
      if page.token != nil, operations.count > Self.maximumOperations { throw endless }
      return page.token
    }
    return operations.newestFirst { ($0.startTime, $0.name.id) }
  }

  private static let operationsPerPage = 100
  /// The maximum number of operations accepted from a list; the service forgets them after some days.
  private static let maximumOperations = 10_000

  /// Waits until an operation ends.
  ///
  /// - Parameter limit: The maximum wait in seconds; nil for no limit.
  /// - Returns: The ended operation, whatever its result.
  /// - Throws: ``Failure``; `.tryLater` if the time is up, `.interrupted`.
  package func wait(
    for name: OperationName,
    limit: Double? = nil,
    report: (ManagedOperation) -> Void
  ) async throws(Failure) -> ManagedOperation {
    let clock = caller.clock
    let began = clock.now()
    var watch = OperationWatch(limit: limit)
    while true {
      let operation = try await operation(name)
      report(operation)
      switch watch.handle(operation, elapsed: clock.now() - began) {
      case .done: return operation
      case .giveUp:
        throw Failure(
          .tryLater,
          "wait any longer for",
          path: name.description,
          cause: "the \(operation.kind.name) is still running (\(operation.state.name))",
          remedy: "It does not stop; wait for it again, or end it with 'gymmigrate managed cancel'."
        )
      case .wait(let delay):
        do {
          try await clock.sleep(delay)
        } catch {
          throw Failure(
            .interrupted,
            "wait any longer for",
            path: name.description,
            cause: "this command was stopped; the \(operation.kind.name) was not"
          )
        }
      }
    }
  }

  /// Requests the cancellation of an operation, which the service may be unable to perform.
  ///
  /// - Throws: ``Failure``; `.inputMissing` if the service does not know it.
  package func cancel(_ name: OperationName) async throws(Failure) {
    try await caller.call(
      .cancelOperation,
      post("\(url(of: name)):cancel", Array("{}".utf8)),
      operation: "cancel",
      path: name.description
    ) { (_, root) throws(CallFailure) in try root.assertObject() }
  }

  // MARK: URLs

  package var databaseURL: String {
    var url = "\(endpoint)/v1/"
    PercentEncoding.appendPath(database.description, to: &url)
    return url
  }

  private func url(of name: OperationName) -> String {
    "\(databaseURL)/operations/\(PercentEncoding.query(name.id))"
  }

  package func get(_ url: String) -> HTTPRequest {
    HTTPRequest(method: "GET", url: "\(url)?prettyPrint=false")
  }
}

extension ManagedOperation {
  /// The failure with which a failed or cancelled operation ends a command; nil if it did not fail.
  ///
  /// The service's status is mapped like that of a request.
  package var failure: Failure? {
    let rpc: RPC? =
      switch kind {
      case .exportDocuments: .exportDocuments
      case .importDocuments: .importDocuments
      case .other: nil
      }
    switch ending {
    case nil, .successful?: return nil
    case .failed(let error)?:
      return CallFailure.service(error).asFailure(
        operation: "complete the \(kind.name)",
        path: name.description,
        of: rpc
      )
    case .cancelled?:
      return Failure(
        .interrupted,
        "complete the \(kind.name)",
        path: name.description,
        cause: "it was cancelled",
        remedy: kind == .exportDocuments
          ? "What it has written cannot be imported." : "What it has written stays."
      )
    }
  }
}
