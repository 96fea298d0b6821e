import Models
public import Transfer

/// `findings.csv` of a run, made when its first finding comes.
public struct FindingList: Sendable {
  private let list: LazyList

  /// Where it is, once there is a finding.
  public var path: String { list.path }

  /// The list of a run.
  public init(_ run: RunDirectory) {
    list = LazyList(
      run.file("findings.csv"),
      header: SpreadsheetRow.byteOrderMark + SpreadsheetRow.bytes(IntegrityFinding.cellNames)
    )
  }

  /// Appends a finding.
  ///
  /// - Throws: `Failure` of kind `cannotWrite`.
  public func append(_ finding: IntegrityFinding) throws {
    try list.append(SpreadsheetRow.bytes(finding.cells))
  }
}
