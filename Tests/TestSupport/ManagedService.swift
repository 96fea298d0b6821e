import Synchronization

/// A scripted managed service for every database: it starts operations and shows them as a test says.
///
/// It moves no document. It has no backups and no schedules.
package final class ManagedService: Sendable {
  /// What becomes of a request to start an operation.
  package enum Start: Sendable {
    /// It starts one, and says so.
    case begin
    /// It starts one, and the answer is another.
    case beginUnheard(Reaction)
    /// It starts none.
    case refuse(Reaction)
  }

  private struct Operation {
    var id: String
    var database = ""
    var prefix = "gs://bucket/prefix"
    var kind = "export"
    var collections = ""
    /// How often it was looked at.
    var looks = 0
    var isCancelled = false

    /// Its state: it is done at the third look.
    var word: String {
      if isCancelled { return "CANCELLED" }
      return looks == 0 ? "INITIALIZING" : looks < 3 ? "PROCESSING" : "SUCCESSFUL"
    }
  }

  private struct State {
    var operations: [Operation] = []
    var starts = 0
    var looks = 0
    var lists = 0
  }

  private let state = Mutex(State())
  private let database: String
  private let onStart: @Sendable (_ start: Int) -> Start
  private let onLook: @Sendable (_ look: Int) -> Reaction?
  private let onList: @Sendable (_ list: Int) -> Reaction?
  private let other: RequestHandler

  /// Makes a service.
  ///
  /// - Parameters:
  ///   - database: `projects/P/databases/D` of operations that were not started here.
  ///   - onStart: Called with the number of the request, from 0.
  ///   - onLook: Called with the number of the request for an operation, from 0; nil shows one that runs, with a look's
  ///     progress, and is done at its third.
  ///   - onList: Called with the number of the request for the list, from 0; nil shows the operations.
  ///   - other: Answers everything else.
  package init(
    database: String = "projects/test-project/databases/(default)",
    onStart: @escaping @Sendable (_ start: Int) -> Start = { _ in .begin },
    onLook: @escaping @Sendable (_ look: Int) -> Reaction? = { _ in nil },
    onList: @escaping @Sendable (_ list: Int) -> Reaction? = { _ in nil },
    other: @escaping RequestHandler = { _ in
      .json(#"{"error":{"code":404,"status":"NOT_FOUND","message":"no"}}"#, status: 404)
    }
  ) {
    (self.database, self.onStart, self.onLook, self.onList, self.other) = (
      database, onStart, onLook, onList, other
    )
  }

  /// The number of requests to start an operation.
  package var starts: Int { state.withLock { $0.starts } }
  /// The number of operations that were started.
  package var operations: Int { state.withLock { $0.operations.count } }
  /// The number of requests for an operation.
  package var looks: Int { state.withLock { $0.looks } }

  /// Enters an operation that was there before.
  package func enter(_ kind: String, _ prefix: String, isDone: Bool) {
    state.withLock { state in
      let id = "old\(state.operations.count)"
      state.operations.append(
        Operation(id: id, database: database, prefix: prefix, kind: kind, looks: isDone ? 3 : 0)
      )
    }
  }

  /// Answers requests.
  package var handler: RequestHandler {
    { request in
      let path = request.path
      if path.hasSuffix("/backups") || path.hasSuffix("/backupSchedules") { return .json("{}") }
      guard let match = path.wholeMatch(of: /\/v1\/(projects\/[^\/]+\/databases\/[^\/:]+)(.*)/) else {
        return self.other(request)
      }
      let (database, rest) = (String(match.output.1), match.output.2)
      return switch (request.method, rest.split(separator: "/").first ?? "", rest.contains(":")) {
      case ("POST", ":exportDocuments", _): self.start("export", database, request)
      case ("POST", ":importDocuments", _): self.start("import", database, request)
      case ("GET", "operations", _) where rest == "/operations": self.list(database)
      case ("GET", "operations", _): self.look(String(rest.dropFirst("/operations/".count)))
      case ("POST", "operations", true):
        self.cancel(String(rest.dropFirst("/operations/".count).prefix { $0 != ":" }))
      default: self.other(request)
      }
    }
  }

  private func start(_ kind: String, _ database: String, _ request: TestRequest) -> Reaction {
    let number = state.withLock { state in
      defer { state.starts += 1 }
      return state.starts
    }
    func begin() -> Reaction {
      let name = kind == "export" ? "outputUriPrefix" : "inputUriPrefix"
      let prefix = Self.value(name, in: request.text)
      let collections = request.text.firstMatch(of: /"collectionIds":(\[[^\]]*\])/).map {
        String($0.output.1)
      }
      let id = state.withLock { state in
        let id = "op\(state.operations.count)"
        state.operations.append(
          Operation(
            id: id,
            database: database,
            prefix: prefix,
            kind: kind,
            collections: collections ?? ""
          )
        )
        return id
      }
      return .json(json(id, "INITIALIZING"))
    }
    switch onStart(number) {
    case .begin: return begin()
    case .beginUnheard(let reaction):
      _ = begin()
      return reaction
    case .refuse(let reaction): return reaction
    }
  }

  private static func value(_ name: String, in json: String) -> String {
    guard let range = json.firstRange(of: "\"\(name)\":\"") else { return "" }
    return String(json[range.upperBound...].prefix { $0 != "\"" })
  }

  private func list(_ database: String) -> Reaction {
    let number = state.withLock { state in
      defer { state.lists += 1 }
      return state.lists
    }
    if let reaction = onList(number) { return reaction }
    let operations = state.withLock { $0.operations }.filter { $0.database == database }
    let list = operations.map { json($0.id, $0.word) }
    return .json(#"{"operations":[\#(list.joined(separator: ","))]}"#)
  }

  private func look(_ id: String) -> Reaction {
    let number = state.withLock { state in
      defer { state.looks += 1 }
      return state.looks
    }
    if let reaction = onLook(number) { return reaction }
    let shown = state.withLock { state in
      guard let index = state.operations.firstIndex(where: { $0.id == id }) else {
        return Operation(id: id, looks: number + 1)
      }
      state.operations[index].looks += 1
      return state.operations[index]
    }
    let error = shown.isCancelled ? #","error":{"code":1,"message":"It was cancelled."}"# : ""
    return .json(json(id, shown.word, done: min(shown.looks - 1, 2) * 10, more: error))
  }

  /// Cancels an operation; one that has ended stays as it is.
  private func cancel(_ id: String) -> Reaction {
    state.withLock { state in
      guard let index = state.operations.firstIndex(where: { $0.id == id }) else { return }
      state.operations[index].isCancelled = state.operations[index].looks < 3
    }
    return .json("{}")
  }

  /// An operation as JSON; one that was not started is an export.
  package func json(_ id: String, _ word: String, done: Int = 0, more: String = "") -> String {
    let operations = state.withLock { $0.operations }
    let index = operations.firstIndex { $0.id == id }
    let known = index.map { operations[$0] }
    let kind = known?.kind == "import" ? "Import" : "Export"
    let prefix = known?.prefix ?? "gs://bucket/prefix"
    let collections =
      known.map { $0.collections.isEmpty ? "" : #""collectionIds":\#($0.collections),"# } ?? ""
    let minute = (index ?? 0) + 10
    let uri = kind == "Import" ? "inputUriPrefix" : "outputUriPrefix"
    let isDone = ["SUCCESSFUL", "FAILED", "CANCELLED"].contains(word)
    let response =
      word == "SUCCESSFUL" ? #","response":{"outputUriPrefix":"\#(prefix)"}"# : ""
    return """
      {"name":"\(known?.database ?? database)/operations/\(id)","metadata":{"@type":"type.googleapis.com/google.firestore.admin.v1.\
      \(kind)DocumentsMetadata","startTime":"2026-01-31T03:\(minute):00Z","operationState":"\(word)",\(collections)\
      "progressDocuments":{"estimatedWork":"20","completedWork":"\(done)"},"\(uri)":"\(prefix)"}\
      \(isDone ? ",\"done\":true" : "")\(response)\(more)}
      """
  }
}
