import Files
package import Storage

/// The folder shared by all tasks of a sharded run: typed objects with fixed names.
///
/// | name | content |
/// |---|---|
/// | `plan.json` | ``ShardPlan`` |
/// | `claims/NNNNN.json` | ``ShardClaim``, who works on a task |
/// | `ranges/NNNNN.json` | ``ShardResult``, how a range ended |
/// | `errors/NNNNN.json` | ``ShardError``, why the last attempt of a task failed |
/// | `parts/NNNNN.jsonl` | the output of a range |
/// | `lists/NNNNN/…` | the lists of a range |
/// | `begun/NNNNN`, `begun/NNNNN-N` | that a range has begun to write, and the name of its folder |
/// | `ramp.json` | when the first task began to write, by the store's clock |
/// | `clock/NNNNN` | a task's reading of that clock |
package struct ShardFolder: Sendable {
  package let store: any ObjectStore

  /// The maximum size of a result or a claim, in bytes.
  static let largestRecord = 4 << 20

  package init(_ store: any ObjectStore) {
    self.store = store
  }

  /// Returns a number with at least five digits, so that names sort in numeric order.
  package static func digits(_ number: Int) -> String { String(number).padded(to: 5) }

  package static func partName(_ range: Int, _ fileExtension: String) -> String {
    "parts/\(digits(range)).\(fileExtension)"
  }
  package static func listName(_ list: String, of range: Int) -> String { "lists/\(digits(range))/\(list)" }
  package static func resultName(_ range: Int) -> String { "ranges/\(digits(range)).json" }
  static func claimName(_ task: Int) -> String { "claims/\(digits(task)).json" }
  static func errorName(_ task: Int) -> String { "errors/\(digits(task)).json" }

  // MARK: The plan

  /// Reads the plan.
  ///
  /// - Throws: `.inputMissing` if there is none; `.inputMalformed`.
  package func plan() async throws(Failure) -> ShardPlan {
    guard let object = try await store.read(ShardPlan.fileName, limit: ShardPlan.largest) else {
      throw Failure(
        .inputMissing,
        "find the plan of",
        path: "\(store)",
        cause: "there is no \(ShardPlan.fileName)",
        remedy: "Make one with 'gymmigrate shard plan --shards N --to \(store) -- COMMAND'."
      )
    }
    return try parse(ShardPlan.self, object.bytes, ShardPlan.fileName)
  }

  /// Checks that there is no plan yet, and nothing that the tasks of another one left.
  ///
  /// - Throws: `.cannotWrite` naming the run of the existing plan, or what is left.
  package func assertNoPlan() async throws(Failure) {
    if try await store.read(ShardPlan.fileName, limit: ShardPlan.largest) != nil {
      throw try await planIsThere()
    }
    for folder in ["ranges/", "parts/", "lists/", "\(Self.begun)/"] {
      guard let left = try await store.list(folder).first else { continue }
      throw Failure(
        .cannotWrite,
        "write the plan to",
        path: "\(store)",
        cause: "\(left.name) of another run is there",
        remedy: "Name another place, or remove the whole folder."
      )
    }
  }

  private func planIsThere() async throws(Failure) -> Failure {
    Failure(
      .cannotWrite,
      "write the plan to",
      path: "\(store)",
      cause: "the plan of run \(try await plan().run) is there",
      remedy: "Name another place, or remove that one once it is no longer needed."
    )
  }

  /// Removes the plan of a run that could not begin.
  package func removePlan() async throws(Failure) {
    _ = try await store.delete(ShardPlan.fileName, version: nil)
  }

  /// Writes the plan.
  ///
  /// - Throws: `.cannotWrite`, also if there is already a plan.
  package func write(_ plan: ShardPlan) async throws(Failure) {
    let result = try await store.write(plan.line, to: ShardPlan.fileName, if: .missing)
    if result == .refused { throw try await planIsThere() }
  }

  // MARK: Results

  /// Returns the result of a range; nil if it is not done.
  package func result(of range: Int, in plan: ShardPlan) async throws(Failure) -> ShardResult? {
    let name = Self.resultName(range)
    guard let object = try await store.read(name, limit: Self.largestRecord) else { return nil }
    let result = try parse(ShardResult.self, object.bytes, name)
    let file = plan.partExtension.map { Self.partName(range, $0) }
    let isOwn = result.run.isIdentical(to: plan.run) && result.range == range
    let isPart = file.map { result.part?.file.isIdentical(to: $0) ?? false } ?? (result.part == nil)
    if isOwn, isPart { return result }
    throw .malformed("\(store)/\(name)", "it is not the result of range \(range) of run \(plan.run)")
  }

  /// Returns the numbers of the ranges that are done.
  package func doneRanges() async throws(Failure) -> Set<Int> {
    var done: Set<Int> = []
    for object in try await store.list("ranges/") {
      if let number = Int(object.name.dropFirst("ranges/".count).prefix { $0 != "." }) { done.insert(number) }
    }
    return done
  }

  /// Writes the result of a range, unless it already has the same result.
  ///
  /// - Throws: `.internal` if there is already a result with other counts or another part.
  package func write(_ result: ShardResult, in plan: ShardPlan) async throws(Failure) {
    let name = Self.resultName(result.range)
    guard try await store.write(result.line, to: name, if: .missing) == .refused else { return }
    guard let other = try await self.result(of: result.range, in: plan), !other.agrees(with: result) else {
      return
    }
    throw Failure(
      .internal,
      "record the result of range \(result.range) in",
      path: "\(store)/\(name)",
      cause: "another worker recorded another one",
      remedy: "See 'gymmigrate shard status \(store)'."
    )
  }

  /// Replaces a result; used by `finish`.
  package func replace(_ result: ShardResult) async throws(Failure) {
    _ = try await store.write(result.line, to: Self.resultName(result.range), if: .none)
  }

  // MARK: Ranges that write

  /// Where it is recorded which ranges have begun to write.
  package static let begun = "begun"

  /// Records, outside of the folder of a range, that the range has begun to write, so that the loss of that folder is noticed.
  ///
  /// - Parameter name: The name of the folder.
  package func recordBegin(of name: String) async throws(Failure) {
    _ = try await store.write(Array("{}\n".utf8), to: "\(Self.begun)/\(name)", if: .missing)
  }

  // MARK: Errors of tasks

  /// Records why a task failed, for `status` and `finish`; nil clears the record.
  package func record(_ error: ShardError?, of task: Int) async throws(Failure) {
    let name = Self.errorName(task)
    guard let error else {
      _ = try await store.delete(name, version: nil)
      return
    }
    _ = try await store.write(error.line, to: name, if: .none)
  }

  /// Returns why the last attempt of a task failed; nil if it did not.
  package func error(of task: Int) async throws(Failure) -> ShardError? {
    let name = Self.errorName(task)
    guard let object = try await store.read(name, limit: Self.largestRecord) else { return nil }
    return try parse(ShardError.self, object.bytes, name)
  }

  // MARK: The ramp

  /// The object whose time is that of the first write of the run.
  package static let ramp = "ramp.json"

  /// Returns the seconds since the first task of the run began to write, by the store's clock.
  ///
  /// The first caller starts the ramp.
  package func rampElapsed(task: Int) async throws(Failure) -> Double {
    let begin: Timestamp
    switch try await store.write(Array("{}\n".utf8), to: Self.ramp, if: .missing) {
    case .written: return 0
    case .refused:
      guard let object = try await store.read(Self.ramp, limit: Self.largestRecord) else { return 0 }
      begin = object.updatedAt
    }
    return max(0, try await now(task: task).seconds(since: begin))
  }

  /// Returns the time by the store's clock.
  package func now(task: Int) async throws(Failure) -> Timestamp {
    let look = try await store.write(Array("{}\n".utf8), to: "clock/\(Self.digits(task)).json", if: .none)
    guard case .written(let info) = look else { return .now }
    return info.updatedAt
  }

  // MARK: JSON

  func parse<Record: JSONRecord>(
    _ type: Record.Type,
    _ bytes: [UInt8],
    _ name: String
  ) throws(Failure) -> Record {
    try JSONFile.parse(bytes, of: "\(store)/\(name)") { json throws(WireError) in try Record(json) }
  }
}

extension Timestamp {
  /// Returns the seconds since an earlier time.
  package func seconds(since other: Timestamp) -> Double {
    Double(seconds - other.seconds) + Double(nanoseconds - other.nanoseconds) / 1e9
  }
}

/// `errors/NNNNN.json`: why the last attempt of a task failed.
package struct ShardError: JSONRecord, Equatable {
  package var exitCode: Int
  package var holder: String
  package var message: String

  package init(exitCode: Int, message: String, holder: String) {
    self.exitCode = exitCode
    self.message = message
    self.holder = holder
  }
}
