import Files
import Schema
import Tables

/// Recognizes columns that an option names by number and that no row has.
struct ColumnsBeyond {
  private var width = 0

  mutating func take(_ row: CellRow) { width = max(width, row.count) }

  func warnings(_ plan: TablePlan, _ options: TableOptions, _ source: ImportSource) -> [String] {
    // The plan has headings, which are empty, for the columns that an option names.
    let width = max(width, (plan.headings.lastIndex { !$0.isEmpty } ?? -1) + 1)
    let skipped = options.skippedColumns.filter { $0 > width }.sorted()
    let renamed = plan.roles.indices.filter { index in
      if index >= width, case .field = plan.roles[index] { true } else { false }
    }
    let named =
      skipped.map { source.option("skip-columns", "\($0)") } + renamed.map { "--rename \($0 + 1)=FIELD" }
    if named.isEmpty { return [] }
    let columns = NumberText.counted(width, "column")
    return ["It has \(columns), and none for \(FilePaths.list(named)): count them in the file."]
  }
}
