// The entry point that libFuzzer calls (https://llvm.org/docs/LibFuzzer.html). GYMMIGRATE_FUZZ_TARGET names the target.
import FirestoreModels
import Platform

/// What can be fuzzed; each has its folder in `Corpus`.
enum Target: String, CaseIterable {
  case wire, query, requests, jsonl, csv, xlsx, text, pages, yaml, migration, ranges
  case runs, journal, plan, ledger, folders, store, schema, credentials
  case storage, managed, shards, exports

  /// The one that the environment names.
  static let chosen: Target = {
    guard let name = getenv("GYMMIGRATE_FUZZ_TARGET"), let target = Target(rawValue: String(cString: name))
    else {
      fatalError("GYMMIGRATE_FUZZ_TARGET is one of \(allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return target
  }()

  func run(_ input: [UInt8]) {
    switch self {
    case .wire: fuzzWire(input)
    case .query: fuzzQuery(input)
    case .requests: fuzzRequests(input)
    case .jsonl: fuzzJSONLines(input)
    case .csv: fuzzCSV(input)
    case .xlsx: fuzzXLSX(input)
    case .text: fuzzText(input)
    case .pages: fuzzPages(input)
    case .yaml: fuzzYAML(input)
    case .migration: fuzzMigration(input)
    case .ranges: fuzzRanges(input)
    case .runs: fuzzRuns(input)
    case .journal: fuzzJournal(input)
    case .plan: fuzzPlan(input)
    case .ledger: fuzzLedger(input)
    case .folders: fuzzFolders(input)
    case .store: fuzzStore(input)
    case .schema: fuzzSchema(input)
    case .credentials: fuzzCredentials(input)
    case .storage: fuzzStorage(input)
    case .managed: fuzzManaged(input)
    case .shards: fuzzShards(input)
    case .exports: fuzzExports(input)
    }
  }
}

/// Runs the chosen target on one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  Target.chosen.run(Array(UnsafeBufferPointer(start: data, count: size)))
  return 0
}

/// Stops the run where a property does not hold; libFuzzer then writes the input to a file.
func expect(_ condition: Bool, _ property: @autoclosure () -> String) {
  if !condition { fatalError(property()) }
}

/// The result of `body`, nil where it threw.
func attempt<Result: ~Copyable, E: Error>(_ body: () throws(E) -> Result) -> Result? {
  do {
    return try body()
  } catch {
    return nil
  }
}

/// What a decoder reads of a text; nil where it refuses it.
func decoded<Result>(
  _ text: [UInt8],
  unknownMembers: WireDecoder.UnknownMembers = .refused,
  with parser: JSONParser = JSONParser(),
  _ read: (inout WireDecoder, JSONCursor) throws(WireError) -> Result
) -> Result? {
  attempt { () throws(WireError) in
    try parser.parse(text) { root throws(WireError) in
      var decoder = WireDecoder(unknownMembers: unknownMembers)
      return try read(&decoder, root)
    }
  }
}
