package import Runs
import Tables

extension LineList {
  /// Creates a list for spreadsheets, with column headings.
  package convenience init(spreadsheet path: String, columns: [String]) {
    self.init(path, header: CSVLineWriter.byteOrderMark + CSVLineWriter.list.bytes(columns))
  }
}
