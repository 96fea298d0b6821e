import MigrationEngine
package import Runs
import Tables

/// `findings.csv` of a run, made when its first finding comes.
package struct FindingList: Sendable {
  private let list: LineList

  package var path: String { list.path }

  package init(_ run: RunDirectory) {
    list = LineList(
      run.file("findings.csv"),
      header: CSVLineWriter.byteOrderMark + CSVLineWriter.list.bytes(IntegrityFinding.cellNames)
    )
  }

  /// Appends a finding.
  ///
  /// - Throws: `Failure` of kind `cannotWrite`.
  package func append(_ finding: IntegrityFinding) throws {
    try list.append(CSVLineWriter.list.bytes(finding.cells))
  }
}
