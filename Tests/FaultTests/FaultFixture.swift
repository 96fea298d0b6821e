import Configuration
import FirestoreModels
import FirestoreREST
import Foundation
import GymMigrations
import GymModels
import Logging
import MigrationEngine
import RunSupport
import Runs
import Synchronization
import Tables
import TestSupport
import Transfer

/// A time that moves on by sleeping and by requests that are waited for in vain, so that waiting costs nothing and no
/// budget depends on the machine's speed.
final class SleepingClock: Sendable {
  private let time = Mutex(1000.0)

  func advance(by seconds: Double) { time.withLock { $0 += seconds } }

  /// The clock for a caller, chance included.
  func clock(seed: UInt64) -> RunClock {
    let random = Mutex(SplitMix64(seed: seed))
    return RunClock(
      now: { self.time.withLock { $0 } },
      sleep: { seconds in
        let end = self.time.withLock { $0 } + seconds
        try await Task.sleep(for: .microseconds(Int64(max(0, min(seconds, 100)) * 100)))
        self.time.withLock { $0 = max($0, end) }
      },
      random: { random.withLock { Double.random(in: 0..<1, using: &$0) } }
    )
  }
}

/// Loses patience after a fraction of a second while the service fails, and lets the time that the caller would have waited
/// go by at once.
struct HastyTransport: HTTPTransport {
  let inner: CurlTransport
  let patience: Double
  let faults: ScriptedFaults
  let time: SleepingClock

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    // A calm service that is late, because the machine is, must not use up a budget.
    let patience = faults.isOn ? patience : 60
    var hasty = request
    hasty.timeout = min(request.timeout, patience)
    let start = ContinuousClock.now
    do throws(TransportError) {
      return try await inner.send(hasty)
    } catch {
      if ContinuousClock.now - start >= .seconds(patience) * 0.99 { time.advance(by: request.timeout) }
      throw error
    }
  }
}

/// A database behind a server that fails by a script, a client of it, and a folder for what a run leaves.
struct FaultFixture: Sendable {
  let mini: MiniFirestore
  let faults: ScriptedFaults
  let client: FirestoreClient
  let folder: URL
  let isJournaled: Bool
  /// Requests at a time of a migration.
  let parallel: Int
  let limits = BatchLimits(maximumWrites: 5, maximumInFlight: 3)

  /// Runs `body` with a client whose budget is so many seconds of its own time.
  static func with(
    _ mini: MiniFirestore,
    _ faults: ScriptedFaults,
    seed: UInt64,
    budget: Double,
    patience: Double,
    isJournaled: Bool = false,
    _ body: (FaultFixture) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      try await HTTPTestServer.withServer(faults.handler) { server in
        let time = SleepingClock()
        let transport = HastyTransport(inner: CurlTransport(), patience: patience, faults: faults, time: time)
        let clock = time.clock(seed: seed)
        let signs = mini.options.requiresAuthorization
        let kind: Credentials.Kind =
          signs ? .metadataServer(MetadataServer(host: server.host)) : .emulatorOwner
        let caller = ServiceCaller(
          transport: transport,
          credentials: TokenProvider(Credentials(kind), transport: transport, sleep: clock.sleep),
          policy: RetryPolicy(budget: budget),
          clock: clock
        )
        let client = FirestoreClient(
          database: DatabaseName(project: "test-project"),
          endpoint: server.url,
          caller: caller
        )
        try await body(
          FaultFixture(
            mini: mini,
            faults: faults,
            client: client,
            folder: folder,
            isJournaled: isJournaled,
            parallel: seed / 4 % 2 == 0 ? 1 : 8
          )
        )
      }
    }
  }

  /// What one run counted and listed, and how it ended.
  struct Result {
    var run = ""
    var counts = DocumentCounts()
    var rejects: [String] = []
    /// What the files of an export hold, by their names.
    var files: [String: String] = [:]
    var hasManifest = false
    var failure: Failure?
    var other: String?

    /// Names that are listed as conflicted.
    var conflicts: [String] { rejects.filter { $0.contains(#""code":"conflict""#) } }
  }

  private var environment: DatabaseEnvironment {
    DatabaseEnvironment(name: "test", database: client.database, endpoint: client.endpoint)
  }

  /// Does one operation as the command of that name does it, and returns the result.
  ///
  /// - Parameter earlier: The run that is resumed, nil for a new one.
  func perform(
    _ operation: Operation,
    _ data: LoadData,
    resuming earlier: String? = nil
  ) async throws -> Result {
    var result = Result()
    let run = try directory(for: operation, resuming: earlier)
    result.run = run.id
    let counts = RunCounts(resuming: run.restoredCounts)
    do {
      let checkpoints =
        isJournaled
        ? try await Checkpoints(run, client: client, counts: counts, clock: client.caller.clock) : nil
      switch operation {
      case .export: result.files = try await export(run, counts, to: run.file("out"))
      case .create: try await importFile(data, run, counts, checkpoints)
      case .upsert: try await load(data, .upsert, run, counts, checkpoints)
      case .merge: try await load(data, .merge, run, counts, checkpoints)
      case .migrate: try await migrate(run, counts, checkpoints)
      }
      if operation != .export { try counts.assertBalance() }
    } catch let failure as Failure {
      result.failure = failure
      if operation == .export { result.files = try files(in: run.file("out")) }
    } catch {
      result.other = "\(error)"
    }
    result.hasManifest = FileManager.default.fileExists(atPath: run.file("out/manifest.json"))
    result.counts = counts.totals
    result.rejects = ((try? String(contentsOfFile: run.file("rejects.jsonl"), encoding: .utf8)) ?? "")
      .split(separator: "\n").map(String.init)
    return result
  }

  private func directory(for operation: Operation, resuming earlier: String?) throws -> RunDirectory {
    guard let earlier else { return try RunDirectory(in: folder.path, command: operation.rawValue) }
    let record = RunRecord(
      id: earlier,
      command: operation.rawValue,
      arguments: [],
      workingDirectory: folder.path,
      environment: environment,
      startedAt: .now,
      writes: true
    )
    return try RunDirectory(resuming: record, in: folder.path)
  }

  // MARK: Operations

  private func export(
    _ run: RunDirectory,
    _ counts: RunCounts,
    to path: String
  ) async throws -> [String: String] {
    // One collection by list, one by query.
    var group = CollectionRead(CollectionPath(nil, "sub c"), pageSize: 4)
    group.reach = .group
    let reads = [CollectionRead(CollectionPath(nil, "c"), pageSize: 7), group]
    let context = RunContext.silent(client, run, counts: counts)
    var options = Export.Options(reads: reads, destination: .folder(path), format: .jsonLines())
    options.readTime = try await client.readTime(.pinned, of: context.environment, context.logger)
    _ = try await Export(options, in: context).run()
    return try files(in: path)
  }

  private func files(in path: String) throws -> [String: String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    var files: [String: String] = [:]
    for name in names where name.hasSuffix(".jsonl") {
      files[name] = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
    }
    return files
  }

  private func importFile(
    _ data: LoadData,
    _ run: RunDirectory,
    _ counts: RunCounts,
    _ checkpoints: Checkpoints?
  ) async throws {
    let file = run.file("in.jsonl")
    try Data(data.incoming.utf8).write(to: URL(fileURLWithPath: file))
    var options = Import.Options(
      ImportJob(files: [file]),
      sources: try ImportSource.resolve([file], schema: GymSchema.schema),
      table: TableOptions(timeZone: try LocalTimeZone(named: "UTC"))
    )
    options.limits = limits
    try await Import(options, in: .silent(client, run, counts: counts, checkpoints: checkpoints)).run()
  }

  private func load(
    _ data: LoadData,
    _ mode: WriteMode,
    _ run: RunDirectory,
    _ counts: RunCounts,
    _ checkpoints: Checkpoints?
  )
    async throws
  {
    let parser = JSONParser()
    var decoder = WireDecoder()
    let documents = try data.incoming.utf8.split(separator: 0x0A).map { line in
      try parser.parse(Array(line)) { root throws(WireError) in try decoder.document(root) }
    }
    let loader = DocumentLoader(
      in: .silent(client, run, counts: counts, checkpoints: checkpoints),
      mode: mode,
      times: .kept,
      limits: limits,
      pacer: WritePacer(ramp: false)
    )
    try await loader.load { intake in
      for start in stride(from: 0, to: documents.count, by: 15) {
        try await intake.put(Array(documents[start..<min(start + 15, documents.count)]))
      }
    }
  }

  private func migrate(_ run: RunDirectory, _ counts: RunCounts, _ checkpoints: Checkpoints?) async throws {
    let sources = MigrationCatalogue.folder.map { ChangeSource.migration($0) }
    var runner = MigrationRunner(in: .silent(client, run, counts: counts, checkpoints: checkpoints))
    runner.limits = limits
    (runner.pageSize, runner.parallel) = (7, parallel)
    runner = runner.readingAhead(of: sources, .written)
    for (stage, source) in sources.enumerated() where checkpoints?.isPast(stage) != true {
      _ = try await runner.apply(source, stage: stage)
    }
  }
}
