import FirestoreModels
import Foundation
import Runs
import TestSupport

/// Runs one case of the matrix and reports what is not as it should be.
///
/// The truth is the server's own: its documents, and its count of changes.
struct FaultRun {
  let test: FaultCase
  /// What is wrong, a line each.
  private(set) var problems: [String] = []
  /// How many faults were played.
  private(set) var played = 0

  private let data: LoadData
  private let initial: String
  private let writer: OtherWriter

  init(_ test: FaultCase) {
    self.test = test
    data = LoadData(seed: test.seed, operation: test.operation)
    writer = OtherWriter(seed: test.seed, placement: test.placement)
    switch test.operation {
    case .export: initial = data.incoming
    case .migrate: initial = GymData.lines(seed: test.seed)
    default: initial = data.present
    }
  }

  /// Runs the operation while the service fails, and again where it failed or somebody else wrote.
  mutating func run() async throws {
    let mini = try server()
    let faults = ScriptedFaults(
      mini.handler,
      rules: rules(mini),
      maximumConsecutive: test.placement.isLasting || test.kind.fault == nil ? .max : 2,
      seed: test.seed
    )
    if test.kind.fault == nil, test.kind == .writer || test.operation == .export { disturb(mini, faults) }
    var copy = self
    let (data, operation, kind) = (data, test.operation, test.kind)
    try await FaultFixture.with(
      mini,
      faults,
      seed: test.seed,
      budget: test.placement.isLasting && kind.failureKind != nil ? 20 : 100_000,
      patience: kind.isStall ? 0.25 : 60,
      isJournaled: test.isJournaled
    ) { place in
      let first = try await place.perform(operation, data)
      copy.played = kind.fault == nil ? copy.writer.touched.count : faults.played.count
      try await copy.judge(first, mini, faults)
      let changes = mini.totalChanges
      let goesAgain = kind.fault == nil && kind != .lostThenWriter && operation != .export
      guard first.failure != nil || goesAgain else {
        return try await copy.judgeDatabase(mini)
      }
      faults.setOn(false)
      mini.setBeforeCommit(nil)
      let isResumed = copy.test.isJournaled && first.failure != nil
      let second = try await place.perform(operation, data, resuming: isResumed ? first.run : nil)
      copy.expect(second.failure == nil && second.other == nil, "the second run: \(second)")
      // A run that is resumed counts all that it wrote, whenever that was.
      let written = mini.totalChanges - (isResumed ? 0 : changes)
      copy.expect(
        second.counts.written == written,
        "the second run counts \(second.counts.written) written, the server \(written)"
      )
      if isResumed { copy.judgeResumed(second) }
      if operation == .export { try await copy.judgeFiles(second) }
      try await copy.judgeDatabase(mini)
    }
    self = copy
  }

  private mutating func expect(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { problems.append(text()) }
  }

  // MARK: Setting up

  private func server() throws -> MiniFirestore {
    var options = MiniFirestore.Options()
    options.seed = test.seed
    if test.kind == .expiredToken {
      options.requiresAuthorization = true
      switch test.placement {
      case .every(let k): options.requestsPerToken = 10 + k
      case .random: options.requestsPerToken = 18
      case .single, .lasting: break
      }
    }
    let mini = MiniFirestore(options)
    try mini.load(jsonLines: initial)
    return mini
  }

  private func rules(_ mini: MiniFirestore) -> [FaultRule] {
    var kinds = Set(RequestKind.allCases)
    kinds.remove(.token)
    switch (test.kind, test.placement) {
    // A token that is good for some requests only.
    case (.expiredToken, .every), (.expiredToken, .random): return []
    case (.expiredToken, .lasting): return [FaultRule(kinds, test.placement.occasion, .error(.tokenExpired))]
    case (.errorInStream, _): kinds = RequestKind.streaming
    case (.writerThenLost, _), (.lostThenWriter, _):
      let fault = writer.droppingAnswers(of: mini, touchesFirst: test.kind == .writerThenLost)
      return [FaultRule([.commit], .always, fault)]
    default: break
    }
    return test.kind.fault.map { [FaultRule(kinds, test.placement.occasion, $0)] } ?? []
  }

  private func disturb(_ mini: MiniFirestore, _ faults: ScriptedFaults) {
    guard test.operation == .export else { return writer.start(on: mini) }
    // Behind the moment that is read at, so that nothing of it may be seen.
    for number in 1...3 {
      faults.before(.list, number + Int(test.seed % 3)) { _ in
        let documents = mini.snapshot()
        if let last = documents.last { mini.remove(last.name) }
        if let some = documents.randomElement() { try? mini.put(some.name, fields: "{}") }
        try? mini.put("c/new\(number)", fields: "{}")
      }
    }
  }

  // MARK: Judging

  private mutating func judge(
    _ result: FaultFixture.Result,
    _ mini: MiniFirestore,
    _ faults: ScriptedFaults
  ) async throws {
    expect(result.other == nil, "it throws \(result.other ?? "")")
    let counts = result.counts
    let changes = mini.changedDocuments
    for (name, count) in changes { expect(count == 1, "\(name) was changed \(count) times") }
    for (name, count) in mini.writtenDocuments {
      expect(count == mini.changeCount(name), "\(name) was written without effect")
    }
    if test.placement.isLasting, let kind = test.kind.failureKind {
      // A migration counts for its progress alone: a count that fails must not stop it.
      let isMigration = test.operation == .migrate
      let stops = faults.played.map(\.request.kind).filter { !isMigration || $0 != .aggregation }
      expect(
        (result.failure == nil) == stops.isEmpty,
        "faults were played on \(stops), and it ended with \(result.failure?.description ?? "success")"
      )
      if let failure = result.failure {
        expect(failure.kind == kind, "it ends as \(failure.kind): \(failure)")
        let told = counts.written + counts.unchanged + counts.skipped + counts.rejected
        expect(told + counts.conflicted <= counts.read + counts.created, "\(counts)")
        expect(counts.written <= changes.count, "\(counts.written) of \(changes.count) are told")
        if counts.written < changes.count {
          expect(
            test.kind.mayApply && failure.cause.contains("it is not known whether"),
            "\(counts.written) of \(changes.count) are told: \(failure)"
          )
        }
        try await judgeRest(of: result)
        return
      }
    }
    expect(result.failure == nil, "it fails: \(result.failure?.description ?? "")")
    expect(
      counts.written == mini.totalChanges,
      "\(counts.written) written, \(mini.totalChanges) by the server"
    )
    switch test.operation {
    case .export:
      try await judgeFiles(result)
    case .migrate:
      expect(result.conflicts.count == counts.conflicted, "\(counts) \(result.rejects)")
      if test.kind.fault != nil { expect(counts.conflicted == 0, "\(result.conflicts)") }
    case .create, .upsert, .merge:
      expect(counts.read == data.read, "\(counts)")
      expect(result.rejects.count == counts.rejected + counts.conflicted, "\(counts) \(result.rejects)")
      if test.kind == .lostThenWriter {
        expect(counts.conflicted == 0, "\(result.conflicts)")
      } else if test.kind.fault == nil {
        return
      }
      let counted = [counts.written, counts.unchanged, counts.rejected, counts.conflicted]
      let wanted = [data.written, data.unchanged, data.rejected, 0]
      expect(counted == wanted, "\(counts), not \(wanted)")
    }
  }

  /// A file that an export leaves behind is whole, and nothing says that the folder is.
  private mutating func judgeRest(of result: FaultFixture.Result) async throws {
    expect(!result.hasManifest, "a manifest of half an export")
    if result.files.isEmpty { return }
    let whole = try await calm().result.files
    for (name, text) in result.files { expect(text == whole[name], "half of \(name)") }
  }

  /// The counts and the list of a run that was resumed are those of one that nothing happened to.
  private mutating func judgeResumed(_ result: FaultFixture.Result) {
    let counts = result.counts
    guard test.operation != .migrate else { return }
    let wanted = [data.read, data.written, data.unchanged, data.rejected, 0]
    expect(
      [counts.read, counts.written, counts.unchanged, counts.rejected, counts.conflicted] == wanted,
      "\(counts), not \(wanted)"
    )
    expect(result.rejects.count == data.rejected, "\(result.rejects)")
  }

  private mutating func judgeFiles(_ result: FaultFixture.Result) async throws {
    let calm = try await calm()
    expect(result.files == calm.result.files, "the files differ")
    expect(result.hasManifest && calm.result.hasManifest, "the manifest is missing")
    expect(result.counts == calm.result.counts, "\(result.counts)")
    let exported = try MiniFirestore.canonical(jsonLines: result.files.values.joined())
    expect(exported == (try MiniFirestore.canonical(jsonLines: initial)), "documents are missing or changed")
  }

  /// The same on a service at which nothing fails.
  private func calm() async throws -> (result: FaultFixture.Result, mini: MiniFirestore) {
    let mini = MiniFirestore()
    try mini.load(jsonLines: initial)
    var calm: FaultFixture.Result?
    let faults = mini.faults()
    try await FaultFixture.with(mini, faults, seed: test.seed, budget: 60, patience: 60) { place in
      calm = try await place.perform(test.operation, data)
    }
    guard let calm else { throw Failure(.internal, "run", cause: "it did not") }
    return (calm, mini)
  }

  private mutating func judgeDatabase(_ mini: MiniFirestore) async throws {
    switch test.operation {
    case .export: return
    case .migrate:
      let calm = try await calm()
      try compare(mini, with: calm.mini.snapshot(), serverTimes: true)
    case .create, .upsert, .merge:
      let expected = try MiniFirestore.canonical(jsonLines: data.expected)
      if writer.touched.isEmpty {
        expect(mini.snapshot() == expected, "the database is not as it should be")
      } else {
        try compare(mini, with: expected, serverTimes: false)
      }
    }
  }

  /// Compares member by member, with what the other writer made of it.
  private mutating func compare(
    _ mini: MiniFirestore,
    with expected: [MiniDocument],
    serverTimes: Bool
  ) throws {
    let touched = writer.touched
    var wanted: [String: NSMutableDictionary] = [:]
    for document in expected {
      wanted[document.name] = NSMutableDictionary(dictionary: try document.fields())
    }
    let before = Dictionary(
      uniqueKeysWithValues: try MiniFirestore.canonical(jsonLines: initial).map { ($0.name, $0) }
    )
    // A record of the tool itself is no data.
    for (name, count) in touched where !name.hasPrefix("_gymmigrate") {
      let isLater = test.kind == .lostThenWriter
      // A document that is there is not for create to write, whoever made it.
      if test.operation == .create, !isLater {
        wanted[name] = NSMutableDictionary(dictionary: try before[name]?.fields() ?? [:])
      }
      // Replaced as a whole, once it was read as it had become.
      if test.operation == .upsert, !isLater { continue }
      wanted[name, default: [:]]["touched"] = ["integerValue": "\(count)"]
    }
    for document in mini.snapshot() {
      let found = NSMutableDictionary(dictionary: try document.fields())
      guard let should = wanted.removeValue(forKey: document.name) else {
        expect(false, "\(document.name) should not be there")
        continue
      }
      if serverTimes {
        for field in ["updatedAt", "createdAt"] where Self.isTime(found[field]) && Self.isTime(should[field])
        {
          guard (try before[document.name]?.fields()[field]) == nil else { continue }
          found[field] = nil
          should[field] = nil
        }
        // An entry that the other writer made first has no time of its creation.
        if touched[document.name] != nil, before[document.name] == nil { should["createdAt"] = nil }
      }
      expect(found.isEqual(should), "\(document.name) is \(found), not \(should)")
    }
    expect(wanted.isEmpty, "missing: \(wanted.keys.sorted())")
  }

  private static func isTime(_ value: Any?) -> Bool {
    (value as? [String: Any])?["timestampValue"] != nil
  }
}
