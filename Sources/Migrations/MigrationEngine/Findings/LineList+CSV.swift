package import Runs
import Tables

extension LineList {
  /// A list for a spreadsheet, with the headings of its columns.
  package convenience init(spreadsheet path: String, columns: [String]) {
    self.init(path, header: CSVLineWriter.byteOrderMark + CSVLineWriter.list.bytes(columns))
  }
}
