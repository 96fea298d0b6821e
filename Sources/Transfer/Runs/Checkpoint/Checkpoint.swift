import FirestoreModels

/// `checkpoint.json`: how far a run is, as of a moment at which everything that it had begun was settled.
package struct Checkpoint: Sendable, Equatable {
  /// Where a run is, in its own terms.
  package struct State: Sendable, Equatable {
    /// Which of the run's parts it is in, from 0: the files of an import, the migrations of an apply.
    package var stage: Int
    /// What of the part is done: the number of the last line, the name of the last document; nil where nothing is.
    package var position: String?
    /// What else is counted, by name.
    package var counters: [String: Int]

    /// Makes a state.
    package init(stage: Int = 0, position: String? = nil, counters: [String: Int] = [:]) {
      self.stage = stage
      self.position = position
      self.counters = counters
    }
  }

  /// Where in the journal a part of the run begins.
  struct Beginning: Sendable, Equatable {
    /// As ``State/stage``.
    var stage: Int
    /// Bytes of the journal by then.
    var journal: Int
  }

  /// The last part that a run may have: as many lists are held as it has parts.
  static let maximumStage = 100_000

  /// Everything before it is settled.
  package var state: State
  /// The counts so far.
  package var collections: [RunSummary.Collection]
  /// Bytes of the run's lists, by file name.
  ///
  /// What follows is of documents that will be met again.
  package var lists: [String: Int]
  /// Bytes of the journal.
  package var journal: Int
  /// Where the journal has changes from before an interruption that may not have been met again, in bytes.
  ///
  /// Those of them that a later line names have been.
  package var tail: [Range<Int>]
  /// The parts that were begun so far, in the order of the journal; a run that reads everything once more begins them again.
  var begun: [Beginning]

  /// A checkpoint of a run that has done nothing yet.
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
            $0.key("journal")
            $0.integer(beginning.journal)
            $0.key("stage")
            $0.integer(beginning.stage)
          }
        }
      }
      json.key("collections")
      json.array { list in
        for collection in collections { list.object { collection.writeMembers(to: &$0) } }
      }
      json.key("counters")
      numbers(state.counters, &json)
      json.key("journal")
      json.integer(journal)
      json.key("lists")
      numbers(lists, &json)
      if let position = state.position {
        json.key("position")
        json.string(position)
      }
      json.key("stage")
      json.integer(state.stage)
      json.key("tail")
      json.array { list in
        for range in tail {
          list.object {
            $0.key("from")
            $0.integer(range.lowerBound)
            $0.key("to")
            $0.integer(range.upperBound)
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
/// A checkpoint waits for what is in flight, so it costs about as long as a commit takes: it comes a second after the last
/// one at the soonest, and so that no more than a twentieth of the time goes into it.
struct CheckpointPace: Sendable {
  /// Seconds between two at the least.
  static let interval = 1.0
  /// Of the time, at most.
  static let share = 0.05

  private var next: Double

  /// The first one is due an interval from now.
  init(now: Double) {
    next = now + Self.interval
  }

  /// Whether one is due.
  func isDue(at now: Double) -> Bool { now >= next }

  /// One was made.
  mutating func made(from start: Double, to end: Double) {
    next = end + max(Self.interval, (end - start) / Self.share)
  }
}
