import FirestoreModels

/// `checkpoint.json`: the state of a run at an instant when everything it had sent was settled.
///
/// An operation describes its position by a ``State`` and reads it back when it is resumed:
///
///     let state = Checkpoint.State(stage: 0, position: "users/u1", counters: ["documents": 1])
///     try await checkpoints.mark(at: state) { try await writer.drain() }
///
///     let position = checkpoints.resumed?.state.position
package struct Checkpoint: Sendable, Equatable {
  /// The position of a run in the terms of its operation.
  package struct State: Sendable, Equatable {
    /// The index of the current stage: the file of an import, the migration of an apply.
    package var stage: Int
    /// The last line number or document path of the stage that is done; nil if nothing is.
    package var position: String?
    /// Further counters by name.
    package var counters: [String: Int]

    package init(stage: Int = 0, position: String? = nil, counters: [String: Int] = [:]) {
      self.stage = stage
      self.position = position
      self.counters = counters
    }
  }

  /// The offset in the journal at which a stage begins.
  struct Beginning: Sendable, Equatable {
    /// The index of the stage, as ``State/stage``.
    var stage: Int
    /// The length of the journal at that time, in bytes.
    var journal: Int
  }

  /// The highest stage that is accepted; it bounds the number of journal tails in memory.
  static let maximumStage = 100_000

  /// The position; everything before it is settled.
  package var state: State
  /// The document counts so far.
  package var collections: [RunSummary.Collection]
  /// The lengths of the run's lists in bytes, by file name.
  ///
  /// Anything beyond them belongs to documents that will be read again.
  package var lists: [String: Int]
  /// The length of the journal in bytes.
  package var journal: Int
  /// The ranges of the journal tail of an interrupted run, in bytes.
  ///
  /// Changes whose documents a later line names have been counted.
  package var tail: [Range<Int>]
  /// The stages begun so far, in journal order; a run that reads everything again begins them again.
  var begun: [Beginning]

  /// Makes the checkpoint of a run that has done nothing yet.
  init(at state: State) {
    self.state = state
    collections = []
    lists = [:]
    journal = 0
    tail = []
    begun = []
  }

  /// The JSON of the checkpoint, one line.
  var json: [UInt8] {
    func numbers(_ numbers: [String: Int], _ json: inout JSONWriter) {
      json.object { json in
        for (name, number) in numbers.sorted(by: { $0.key < $1.key }) {
          json.key(name)
          json.integer(number)
        }
      }
    }
    var json = JSONWriter()
    json.object { json in
      json.key("begun")
      json.array { list in
        for beginning in begun {
          list.object {
            $0.member("journal", beginning.journal)
            $0.member("stage", beginning.stage)
          }
        }
      }
      json.key("collections")
      json.array { list in
        for collection in collections { list.object { collection.writeMembers(to: &$0) } }
      }
      json.key("counters")
      numbers(state.counters, &json)
      json.member("journal", journal)
      json.key("lists")
      numbers(lists, &json)
      json.member("position", state.position)
      json.member("stage", state.stage)
      json.key("tail")
      json.array { list in
        for range in tail {
          list.object {
            $0.member("from", range.lowerBound)
            $0.member("to", range.upperBound)
          }
        }
      }
    }
    return json.bytes
  }

  /// Reads a checkpoint.
  init(_ json: JSONCursor) throws(WireError) {
    func number(_ json: JSONCursor?, _ name: String) throws(WireError) -> Int {
      guard let number = json.flatMap({ WireDecoder.count($0) }) else {
        throw WireError("\(name) is not a count")
      }
      return number
    }
    func stage(_ json: JSONCursor) throws(WireError) -> Int {
      let stage = try number(json["stage"], "stage")
      if stage > Self.maximumStage { throw WireError("stage is beyond \(Self.maximumStage)") }
      return stage
    }
    func numbers(_ json: JSONCursor?) throws(WireError) -> [String: Int] {
      var numbers: [String: Int] = [:]
      guard let json else { return numbers }
      for (name, value) in json.members {
        numbers[name.string] = try number(value, name.string)
      }
      return numbers
    }
    state = State(
      stage: try stage(json),
      position: json["position"]?.string,
      counters: try numbers(json["counters"])
    )
    lists = try numbers(json["lists"])
    journal = try number(json["journal"], "journal")
    tail = []
    begun = []
    collections = []
    if let list = json["begun"] {
      for part in list.elements {
        begun.append(
          Beginning(
            stage: try stage(part),
            journal: try number(part["journal"], "journal")
          )
        )
      }
    }
    if let ranges = json["tail"] {
      for range in ranges.elements {
        let (from, to) = (try number(range["from"], "from"), try number(range["to"], "to"))
        if from > to { throw WireError("tail goes from \(from) to \(to)") }
        tail.append(from..<to)
      }
    }
    guard let list = json["collections"] else { return }
    for element in list.elements { collections.append(try RunSummary.Collection(element)) }
  }
}

/// Decides when a checkpoint is due.
///
/// A checkpoint waits for the writes in flight, which takes about as long as a commit. So there is at least one second between
/// two of them, and they take at most a twentieth of the time.
struct CheckpointPace: Sendable {
  /// The minimum number of seconds between two checkpoints.
  static let interval = 1.0
  /// The maximum share of time spent on checkpoints.
  static let share = 0.05

  private var next: Double

  /// Makes the first checkpoint due after one interval.
  init(now: Double) {
    next = now + Self.interval
  }

  /// Returns whether a checkpoint is due.
  func isDue(at now: Double) -> Bool { now >= next }

  /// Schedules the next checkpoint after one that took from `start` to `end`.
  mutating func checkpointed(from start: Double, to end: Double) {
    next = end + max(Self.interval, (end - start) / Self.share)
  }
}
