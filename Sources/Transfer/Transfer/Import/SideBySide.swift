import FirestoreModels

/// A batch of rows of one of several inputs.
struct InputBatch: Sendable {
  let stage: Int
  var rows: [DocumentRow] = []
  /// The number of bytes of the file that were read for the rows.
  var bytes = 0
  /// Whether there are no more rows.
  var isLast = false
  /// What kept the reader from reading beyond the rows.
  var failure: Failure?
}

/// An input that is read batch by batch; others may access the input itself only after its last batch.
final class InputLane: @unchecked Sendable {
  // Only one task uses it at a time: the one that reads a batch, or the one that waits for it.
  let stage: Int
  let input: any DocumentInput
  private let parseErrors: ParseErrorPolicy
  private var position: Int

  /// The number of rows, and of bytes of the file, that fill a batch.
  private static let (fullRows, fullBytes) = (200, 64 << 10)

  init(_ input: any DocumentInput, stage: Int, _ parseErrors: ParseErrorPolicy) {
    (self.input, self.stage, self.parseErrors) = (input, stage, parseErrors)
    position = input.position
  }

  fileprivate func next() -> InputBatch {
    var batch = InputBatch(stage: stage)
    // A compressed file may yield more document bytes than its own size.
    var fill = BatchFill(count: Self.fullRows)
    do throws(Failure) {
      while !fill.isFull, input.position - position < Self.fullBytes {
        guard var row = try input.next() else {
          batch.isLast = true
          break
        }
        if let rejected = rejected(row) { row.rejected = rejected }
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

  /// Returns a row with errors in the form of the list of rejected rows, which is possible only while it is the current
  /// one.
  private func rejected(_ row: DocumentRow) -> RejectedRow? {
    if row.faults.isEmpty || parseErrors == .stop { return nil }
    let isImported = parseErrors == .skipField && row.document != nil
    return input.rejected("\(isImported ? "Left out " : "")\(row.reason)")
  }
}

/// Reads several inputs at a time.
///
/// They take turns, one batch each, so that the order of the output does not depend on how long a batch takes. One batch of
/// each input is read ahead.
struct SideBySide {
  let width: Int
  /// Opens an input; returns nil if it is empty.
  let open: (Int) throws -> InputLane?

  /// Calls `body` with the batches of the inputs as long as it returns true.
  ///
  /// - Throws: The errors of opening an input and of `body`.
  func forEachBatch(
    of stages: [Int],
    _ body: (InputBatch, InputLane) async throws -> Bool
  ) async throws {
    try await withThrowingTaskGroup(of: InputBatch.self) { group in
      var unopened = stages[...]
      var turns: [InputLane] = []
      // Batches that arrived before their turn.
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
