import FirestoreModels
import Synchronization

@testable import FirestoreREST

private let database = DatabaseName(project: "p")

/// Operations, backups and schedules of the managed service, and how an export is started.
func fuzzManaged(_ input: [UInt8]) {
  let parser = JSONParser(maximumBytes: 1 << 20)
  _ = attempt { () throws(WireError) in
    try parser.parse(input) { root throws(WireError) in
      for json in [root] + (root["operations"].map { Array($0.elements) } ?? []) {
        if let operation = attempt({ () throws(CallFailure) in try ManagedOperation(json, of: database) }) {
          check(operation)
        }
        _ = attempt { () throws(CallFailure) in try Backup(json) }
        _ = attempt { () throws(CallFailure) in try BackupSchedule(json) }
      }
    }
  }
  let text = String(decoding: input, as: UTF8.self)
  if let name = OperationName(parsing: text, in: database) {
    expect(
      OperationName(parsing: name.description, in: database) == name,
      "the name of an operation is another after it was written and read"
    )
  }
  if let prefix = BucketPrefix(parsing: text) {
    expect(
      BucketPrefix(parsing: prefix.description) == prefix,
      "a prefix is another after it was written and read"
    )
    expect(prefix.isIdentical(to: "\(prefix.description)/"), "a slash makes another prefix")
    expect(!prefix.named("x").path.isEmpty, "a prefix without a name")
  }
  manage(input)
}

private func check(_ operation: ManagedOperation) {
  expect(operation.name.isOf(database), "an operation of another database is taken")
  expect(operation.isDone == (operation.ending != nil), "an operation that has ended has no ending")
  for amount in [operation.documents, operation.bytes].compactMap({ $0 }) {
    expect(amount.completed >= 0 && amount.estimated ?? 0 >= 0, "an operation has done less than nothing")
  }
  if let failure = operation.failure {
    expect(!failure.description.contains("\n"), "an error of several lines")
  }
  var watch = OperationWatch(limit: 10)
  var elapsed = 0.0
  var looks = 0
  while case .wait(let delay) = watch.handle(operation, elapsed: elapsed) {
    elapsed += delay
    looks += 1
    expect(delay > 0 && looks < 100, "an operation is waited for for ever")
  }
}

// MARK: Conversations

/// After a start whose effect is not known nothing is started before the operations were listed.
private func manage(_ input: [UInt8]) {
  let isUncertain = Mutex(false)
  converse(
    input,
    kinds: "eiowcb",
    answer: { request, record in
      let isStart =
        request.url.hasSuffix(":exportDocuments") || request.url.hasSuffix(":importDocuments")
      isUncertain.withLock { isUncertain in
        if isStart {
          expect(!isUncertain, "an export may be started twice")
          isUncertain = record[0] == UInt8(ascii: "x")
        } else if record[0] == UInt8(ascii: "2") {
          isUncertain = false
        }
      }
      return response(record)
    }
  ) { caller, kind throws(Failure) in
    try await manage(FirestoreClient(database: database, endpoint: "http://h", caller: caller), kind)
  }
}

private func manage(_ client: FirestoreClient, _ kind: UInt8) async throws(Failure) {
  guard let prefix = BucketPrefix(parsing: "gs://bucket/p"),
    let name = OperationName(parsing: "o", in: database)
  else { return expect(false, "a prefix and a name are refused") }
  switch kind {
  case UInt8(ascii: "e"): _ = try await client.start(ManagedRequest(.exportDocuments, prefix))
  case UInt8(ascii: "i"):
    _ = try await client.start(ManagedRequest(.importDocuments, prefix, collections: ["c"]))
  case UInt8(ascii: "o"):
    let all = try await client.operations()
    expect(all.count <= 11_000, "a list of operations has no bound")
  case UInt8(ascii: "w"): _ = try await client.wait(for: name, limit: 1000) { _ in }
  case UInt8(ascii: "c"): try await client.cancel(name)
  default:
    _ = try await client.backups()
    _ = try await client.backupSchedules()
  }
}

private func response(_ record: [UInt8]) -> HTTPResponse {
  let body = Array(record.dropFirst())
  switch record[0] {
  case UInt8(ascii: "4"): return HTTPResponse(status: 404, body: body)
  case UInt8(ascii: "0"): return HTTPResponse(status: 400, body: body)
  case UInt8(ascii: "5"): return HTTPResponse(status: 503, headers: ["retry-after": "1"], body: body)
  default: return HTTPResponse(status: 200, body: body)
  }
}
