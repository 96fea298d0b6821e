import FirestoreModels
import Tables

/// What keeps a table from being read, with the options that overcome it.
struct TableObstacle: Error {
  var failure: Failure
  /// The options with those that the failure names applied; nil if none of them helps.
  var passed: TableOptions?

  init(_ failure: Failure, passed: TableOptions? = nil) {
    (self.failure, self.passed) = (failure, passed)
  }

  /// - Parameter pass: Applies the options that the failure names.
  init(_ failure: Failure, _ options: TableOptions, pass: (inout TableOptions) -> Void) {
    var passed = options
    pass(&passed)
    self.init(failure, passed: passed)
  }
}

/// Finds all obstacles of a table, by reading on as if the advice of each message had been followed.
struct TableObstacles {
  /// The maximum number of rows to examine, and of causes to report.
  private static let searchedRows = 100_000
  private static let saidCauses = 6

  let source: ImportSource
  let survey: (TableOptions) throws(TableObstacle) -> TablePlan?

  /// - Parameter survey: Determines the columns of the table under other options.
  /// The failure of the first obstacle, with the causes that follow it.
  func failure(of first: TableObstacle) -> Failure {
    var causes: [String] = []
    var obstacle = first
    while let options = obstacle.passed, causes.count < Self.saidCauses {
      do throws(TableObstacle) {
        if let plan = try survey(options) {
          causes += faults(plan, options).prefix(Self.saidCauses - causes.count)
        }
        break
      } catch {
        let cause = Self.sentence(error.failure)
        if cause.isIdentical(to: Self.sentence(obstacle.failure)) { break }
        causes.append(cause)
        obstacle = error
      }
    }
    var failure = first.failure
    for cause in causes { failure.remedy = "\(failure.remedy.map { "\($0) " } ?? "")Besides, \(cause)" }
    return failure
  }

  /// The different errors in the rows.
  private func faults(_ plan: TablePlan, _ options: TableOptions) -> [String] {
    guard let input = try? TableInput(source, plan: plan, options: options, stage: 0) else { return [] }
    var found: [RowFault] = []
    var rows = 0
    while rows < Self.searchedRows, found.count < Self.saidCauses, let row = try? input.next() {
      rows += 1
      for fault in row.faults where !found.contains(where: { $0.expected.isIdentical(to: fault.expected) }) {
        found.append(fault)
      }
    }
    let dispute = ColumnReport.failure(source, plan, options.reading)
    return ([dispute].compactMap { $0 } + found.map(\.failure)).map(Self.sentence)
  }

  private static func sentence(_ failure: Failure) -> String {
    let sentences = [failure.cause, failure.remedy].compactMap { $0 }.filter { !$0.isEmpty }
    return sentences.map { $0.utf8.last == UInt8(ascii: ".") ? $0 : "\($0)." }.joined(separator: " ")
  }
}
