import FirestoreModels

/// Rows of one of several inputs.
struct InputBatch: Sendable {
  let stage: Int
  var rows: [DocumentRow] = []
  /// The bytes of the file that were read for them.
  var bytes = 0
  /// Whether there are no more rows.
  var isLast = false
  /// What kept the reader from reading on, behind the rows.
  var failure: Failure?
}

/// An input that is read batch by batch; only behind its last one may others look at the input itself.
final class InputLane: @unchecked Sendable {
  // It is used by one task at a time: by that which reads the batch, and by that which waits for it.
  let stage: Int
  let input: any DocumentInput
  private let parseErrors: ParseErrorPolicy
  private var position: Int

  /// The rows and the bytes of a file with which a batch is full.
  private static let (fullRows, fullBytes) = (200, 64 << 10)

  init(_ input: any DocumentInput, stage: Int, _ parseErrors: ParseErrorPolicy) {
    (self.input, self.stage, self.parseErrors) = (input, stage, parseErrors)
    position = input.position
  }

  fileprivate func next() -> InputBatch {
    var batch = InputBatch(stage: stage)
    // A compressed file has more documents than bytes.
    var fill = BatchFill(count: Self.fullRows)
    do throws(Failure) {
      while !fill.isFull, input.position - position < Self.fullBytes {
        guard var row = try input.next() else {
          batch.isLast = true
          break
        }
        row.rejected = rejected(row)
        batch.rows.append(row)
        fill.add(bytes: row.heldBytes)
      }
    } catch {
      (batch.failure, batch.isLast) = (error, true)
    }
    batch.bytes = input.position - position
    position = input.position
    return batch
  }

  /// A row with errors for the list of rejected rows, as long as it is the current one.
  private func rejected(_ row: DocumentRow) -> RejectedRow? {
    if row.faults.isEmpty || parseErrors == .stop { return nil }
    let isImported = parseErrors == .skipField && row.document != nil
    return input.rejected("\(isImported ? "Imported without " : "")\(RowRejects.reason(row.faults))")
  }
}

/// Reads several inputs at a time.
///
/// They take turns, a batch each, so that the order of what comes out does not depend on how long a batch takes. What is read ahead
/// is a batch of each.
struct SideBySide {
  let width: Int
  /// Opens an input; nil where there is nothing in it.
  let open: (Int) throws -> InputLane?

  /// Calls `body` with the batches of the inputs, as long as it returns true.
  ///
  /// - Throws: What opening an input throws, and `body`.
  func forEachBatch(
    of stages: [Int],
    _ body: (InputBatch, InputLane) async throws -> Bool
  ) async throws {
    try await withThrowingTaskGroup(of: InputBatch.self) { group in
      var unopened = stages[...]
      var turns: [InputLane] = []
      // Batches whose turn has not come.
      var early: [Int: InputBatch] = [:]
      while true {
        while turns.count < width, let stage = unopened.popFirst() {
          guard let lane = try open(stage) else { continue }
          turns.append(lane)
          group.addTask { lane.next() }
        }
        guard let lane = turns.first else { return }
        turns.removeFirst()
        while early[lane.stage] == nil, let batch = try await group.next() { early[batch.stage] = batch }
        guard let batch = early.removeValue(forKey: lane.stage) else { return }
        if !batch.isLast {
          turns.append(lane)
          group.addTask { lane.next() }
        }
        guard try await body(batch, lane) else { return }
      }
    }
  }
}
