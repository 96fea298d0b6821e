import FirestoreModels
import FoundationEssentials
import RunSupport
import Synchronization
import TestSupport
import Testing
import TypedDocuments

@testable import FirestoreREST
@testable import Runs
@testable import Transfer

/// What a load left behind.
struct LoadOutcome {
  var counts: DocumentCounts
  var rejects: [String]
  var traffic: Traffic
}

/// Every second document encoded, as an import of JSON Lines encodes it, the others decoded.
func mixed(_ documents: [RawDocument], for database: DatabaseName) throws -> [LoadDocument] {
  let parser = JSONParser()
  var encoder = DocumentEncoder(ReferenceRule(from: nil, to: database))
  return try documents.enumerated().map { index, document in
    if index.isMultiple(of: 2) { return .decoded(document) }
    var json = JSONWriter()
    json.document(document, times: false)
    let encoded = try parser.parse(json.bytes) { encoder.encode($0)?.write }
    return encoded.map { LoadDocument(.encoded($0)) } ?? .decoded(document)
  }
}

/// Loads documents, in batches, and returns the counts and the lines of the reject list.
func load(
  _ documents: [RawDocument],
  into client: FirestoreClient,
  mode: WriteMode,
  batch: Int = 40,
  limits: BatchLimits = BatchLimits(maximumWrites: 10, maximumInFlight: 4),
  traffic: TrafficCounter
) async throws -> LoadOutcome {
  try await withTemporaryDirectory { folder in
    let run = try RunDirectory(in: folder.path, command: "import")
    let counts = RunCounts()
    let loader = DocumentLoader(
      in: .silent(client, run, counts: counts),
      mode: mode,
      times: .kept,
      limits: limits,
      pacer: WritePacer(ramp: false)
    )
    try await loader.load { intake in
      for start in stride(from: 0, to: documents.count, by: batch) {
        let some = Array(documents[start..<min(start + batch, documents.count)])
        try await intake.put(mixed(some, for: client.database))
      }
    }
    try counts.assertBalance()
    let text = (try? String(contentsOfFile: run.file("rejects.jsonl"), encoding: .utf8)) ?? ""
    return LoadOutcome(
      counts: counts.totals,
      rejects: text.split(separator: "\n").map(String.init),
      traffic: traffic.current
    )
  }
}

@Suite("Document loader", .timeLimit(.minutes(60)))
struct DocumentLoaderTests {
  /// 60 documents as they come in; a third is there already as it should be, a third otherwise, a third not at all.
  private static let incoming = jsonLines("c", 0..<60)
  private static let present =
    jsonLines("c", 0..<20) + "\n"
    + (20..<40).map {
      #"{"name":"c/d00\#($0)","fields":{"n":{"integerValue":"7"},"old":{"booleanValue":true}}}"#
    }.joined(separator: "\n")

  private static func expected(_ mode: WriteMode) throws -> [MiniDocument] {
    let merged = (20..<40).map {
      #"{"name":"c/d00\#($0)","fields":{"n":{"integerValue":"\#($0)"},"t":{"stringValue":"t\#($0)"},"old":{"booleanValue":true}}}"#
    }.joined(separator: "\n")
    let lines =
      switch mode {
      case .create: present + "\n" + jsonLines("c", 40..<60)
      case .upsert: incoming
      case .merge: jsonLines("c", 0..<20) + "\n" + merged + "\n" + jsonLines("c", 40..<60)
      case .replace: jsonLines("c", 0..<40)
      }
    return try MiniFirestore.canonical(jsonLines: lines)
  }

  /// written, unchanged, rejected.
  private static func counts(_ mode: WriteMode) -> [Int] {
    switch mode {
    case .create: [20, 20, 20]
    case .upsert, .merge: [40, 20, 0]
    case .replace: [20, 20, 20]
    }
  }

  static let faults: [(name: String, fault: Fault)] = [
    ("unavailable", .error(.unavailable)), ("exhausted", .error(.resourceExhausted)),
    ("aborted", .error(.aborted)),
    ("internal", .error(.internalError)), ("deadline", .error(.deadlineExceeded)),
    ("unavailable, applied", .errorAfterApplying(.unavailable)),
    ("deadline, applied", .errorAfterApplying(.deadlineExceeded)),
    ("unknown, applied", .errorAfterApplying(ServiceError(500, "UNKNOWN", "?"))), ("drop", .drop),
    ("drop, applied", .dropAfterApplying), ("reset", .reset), ("reset, applied", .resetAfterApplying),
    ("half body", .halfBody(0.5)), ("truncated", .truncatedChunked(0.5)), ("html 502", .html(502)),
    ("html 503", .html(503)), ("html 200", .html(200)), ("no body", .emptyBody),
    ("unterminated", .unterminated),
    ("error in stream", .errorInStream(.unavailable, after: 3)),
    ("empty object", .custom { _, _ in .json("{}") }),
    ("drip", .drip(chunk: 997, interval: .microseconds(50))),
  ]

  private func check(
    _ mode: WriteMode,
    _ rules: [FaultRule],
    seed: UInt64 = 1,
    consecutive: Int = 2,
    timeout: Double = 20,
    _ text: Comment
  ) async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: Self.present)
    let faults = ScriptedFaults(mini.handler, rules: rules, maximumConsecutive: consecutive, seed: seed)
    try await Fixture.with(faults.handler, timeout: timeout, budget: 100_000) { fixture in
      let outcome = try await load(
        try documents(Self.incoming),
        into: fixture.client,
        mode: mode,
        traffic: fixture.traffic
      )
      #expect(mini.snapshot() == (try Self.expected(mode)), text)
      let counts = outcome.counts
      #expect(counts.read == 60, text)
      #expect([counts.written, counts.unchanged, counts.rejected] == Self.counts(mode), text)
      #expect(counts.conflicted + counts.skipped + counts.created == 0, text)
      #expect(outcome.rejects.count == counts.rejected, text)
      for (name, writes) in mini.writtenDocuments { #expect(writes == 1, "\(text) \(name)") }
    }
  }

  @Test("Every mode changes the database as specified", arguments: WriteMode.allCases)
  func modes(mode: WriteMode) async throws {
    try await check(mode, [], "\(mode)")
  }

  @Test(
    "Every fault, once and always, leaves the same database as no fault",
    arguments: Self.faults.map(\.name)
  )
  func everyFault(name: String) async throws {
    let fault = try #require(Self.faults.first { $0.name == name }?.fault)
    for mode in WriteMode.allCases {
      // Streams and lists fail likewise; an answer of `{}` is one that some methods may give.
      let kinds: Set<RequestKind> = name == "empty object" ? [.commit, .batchGet] : []
      try await check(mode, [FaultRule(kinds, .number(3), fault)], "\(mode) third")
      try await check(mode, [FaultRule(kinds, .always, fault)], consecutive: 1, "\(mode) always")
      try await check(mode, [FaultRule([.commit], .every(2), fault)], "\(mode) every second commit")
    }
  }

  @Test("Stalls end by time-out, before and after applying")
  func stalls() async throws {
    for fault in [Fault.stall, .stallAfterApplying, .stallInBody(0.5)] {
      try await check(.upsert, [FaultRule([.commit], .numbers([1, 3]), fault)], timeout: 0.4, "\(fault)")
    }
  }

  @Test("A fifth of all requests failing at random changes nothing", arguments: 1...12)
  func random(seed: Int) async throws {
    let all = Self.faults.filter { $0.name != "empty object" }.map(\.fault)
    let mode = WriteMode.allCases[seed % 4]
    try await check(
      mode,
      [FaultRule([], .percent(20), oneOf: all)],
      seed: UInt64(seed),
      "seed \(seed) \(mode)"
    )
  }

  @Test(
    "A concurrent change survives a merge, and every mode detects it",
    arguments: WriteMode.allCases
  )
  func concurrentWriter(mode: WriteMode) async throws {
    for commit in 0..<4 {
      let mini = MiniFirestore()
      try mini.load(jsonLines: Self.present)
      mini.setBeforeCommit { number, _ in
        if number == commit { try? mini.merge("c/d0021", fields: #"{"live":{"nullValue":null}}"#) }
      }
      try await Fixture.with(mini.handler) { fixture in
        let outcome = try await load(
          try documents(Self.incoming),
          into: fixture.client,
          mode: mode,
          traffic: fixture.traffic
        )
        #expect(outcome.counts.conflicted == 0)
        let fields = mini.document("c/d0021")?.fieldsJSON ?? ""
        if mode == .merge {
          #expect(fields.contains("live"))
          #expect(fields.contains("t21"))
        }
        if mode == .create { #expect(fields.contains("live")) }
        #expect(mini.writeCount("c/d0021") == (mode == .create ? 0 : 1))
      }
    }
  }

  @Test("Equal documents of an earlier commit are unchanged, even if the first responses are lost")
  func equalFromBefore() async throws {
    let mini = MiniFirestore()
    try await Fixture.with(mini.handler) { fixture in
      // A commit a document, as an earlier run may have made them.
      let limits = BatchLimits(maximumWrites: 1, maximumInFlight: 4)
      let incoming = try documents(jsonLines("c", 0..<8))
      _ = try await load(
        incoming,
        into: fixture.client,
        mode: .create,
        limits: limits,
        traffic: fixture.traffic
      )
      mini.resetCounts()
    }
    for fault in [Fault.drop, .error(.unavailable), .html(502)] {
      let faults = mini.faults(FaultRule([.commit], .first(4), fault))
      try await Fixture.with(faults.handler) { fixture in
        let outcome = try await load(
          try documents(jsonLines("c", 0..<9)),
          into: fixture.client,
          mode: .create,
          limits: BatchLimits(maximumWrites: 1, maximumInFlight: 4),
          traffic: fixture.traffic
        )
        #expect(outcome.counts.unchanged == 8, "\(fault)")
        #expect(outcome.counts.written == 1, "\(fault)")
        #expect(mini.totalWrites == 1)
        mini.remove("c/d0008")
        mini.resetCounts()
      }
    }
  }

  @Test("A document that keeps changing is listed as conflicted, after some attempts")
  func everChanging() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: Self.present)
    mini.setBeforeCommit { number, request in
      if request.text.contains("c/d0021") {
        try? mini.put("c/d0021", fields: #"{"live":{"integerValue":"\#(number)"}}"#)
      }
    }
    try await Fixture.with(mini.handler) { fixture in
      let outcome = try await load(
        try documents(Self.incoming),
        into: fixture.client,
        mode: .upsert,
        traffic: fixture.traffic
      )
      #expect(outcome.counts.conflicted == 1)
      #expect(outcome.counts.written == 39)
      #expect(outcome.rejects.count == 1)
      #expect(outcome.rejects.first?.contains(#""code":"conflict""#) == true)
      #expect(mini.writeCount("c/d0021") == 0)
    }
  }

  @Test("Only invalid documents are rejected")
  func badDocuments() async throws {
    let mini = MiniFirestore()
    let handler = mini.handler
    let bad = ["d0003", "d0017", "d0018", "d0055"]
    try await Fixture.with({ request in
      request.kind == .commit && bad.contains(where: request.text.contains)
        ? .response(ServiceError.invalidArgument("something about a document").response(for: .commit))
        : handler(request)
    }) { fixture in
      var incoming = try documents(Self.incoming)
      // Refused here, without asking.
      incoming[30].fields["__reserved__"] = .null
      let outcome = try await load(incoming, into: fixture.client, mode: .upsert, traffic: fixture.traffic)
      #expect(outcome.counts.rejected == 5)
      #expect(outcome.counts.written == 55)
      for id in bad + ["d0030"] { #expect(outcome.rejects.contains { $0.contains("\"c/\(id)\"") }) }
      #expect(outcome.rejects.allSatisfy { $0.contains("INVALID_ARGUMENT") && $0.contains("\"document\"") })
      #expect(mini.snapshot().count == 55)
    }
  }

  @Test("Of repeated documents, the last one remains", arguments: WriteMode.allCases)
  func duplicates(mode: WriteMode) async throws {
    for batch in [1, 2, 100] {
      let mini = MiniFirestore()
      try mini.load(jsonLines: #"{"name":"c/a","fields":{"n":{"integerValue":"2"}}}"#)
      let lines = [("a", 1), ("b", 1), ("a", 2), ("b", 2), ("b", 1), ("a", 3), ("a", 2)].map {
        #"{"name":"c/\#($0.0)","fields":{"n":{"integerValue":"\#($0.1)"}}}"#
      }
      try await Fixture.with(mini.handler) { fixture in
        let outcome = try await load(
          try documents(lines.joined(separator: "\n")),
          into: fixture.client,
          mode: mode,
          batch: batch,
          traffic: fixture.traffic
        )
        #expect(outcome.counts.read == 7)
        #expect(outcome.counts.conflicted == 0)
        #expect(mini.document("c/a")?.fieldsJSON == #"{"n":{"integerValue":"2"}}"#, "\(batch)")
        let b = mini.document("c/b")?.fieldsJSON
        #expect(b == (mode == .replace ? nil : #"{"n":{"integerValue":"1"}}"#), "\(batch)")
      }
    }
  }

  @Test("Digits that the service does not store make no difference, also after a lost response")
  func nanoseconds() async throws {
    let lines = (0..<5).map {
      #"{"name":"c/d\#($0)","fields":{"at":{"arrayValue":{"values":[{"mapValue":{"fields":{"x":{"timestampValue":"2026-01-02T03:04:05.123456789Z"}}}}]}}}}"#
    }.joined(separator: "\n")
    for mode in [WriteMode.create, .upsert, .merge] {
      let mini = MiniFirestore()
      let faults = mini.faults(FaultRule([.commit], .number(1), .dropAfterApplying))
      try await Fixture.with(faults.handler) { fixture in
        let first = try await load(
          try documents(lines),
          into: fixture.client,
          mode: mode,
          traffic: fixture.traffic
        )
        #expect(first.counts.written == 5)
        let second = try await load(
          try documents(lines),
          into: fixture.client,
          mode: mode,
          traffic: fixture.traffic
        )
        #expect(second.counts.unchanged == 5)
        #expect(mini.totalWrites == 5)
      }
    }
  }

  @Test("Commits shrink when the service finds them too big, and everything is written")
  func tooBig() async throws {
    var options = MiniFirestore.Options()
    options.largestCommit = 7
    let mini = MiniFirestore(options)
    try await Fixture.with(mini.handler) { fixture in
      let incoming = try documents(jsonLines("c", 0..<1000))
      let outcome = try await load(
        incoming,
        into: fixture.client,
        mode: .create,
        limits: BatchLimits(maximumWrites: 100, maximumInFlight: 2),
        traffic: fixture.traffic
      )
      #expect(outcome.counts.written == 1000)
      #expect(mini.totalWrites == 1000)
      // Without shrinking, 31 requests for each 100, 310 in all: halves of halves.
      #expect(mini.requestCount(.commit) < 300)
    }
  }
}
