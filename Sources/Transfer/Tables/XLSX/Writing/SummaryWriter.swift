import CXLSXWriter

/// Writes the ``SummarySheet`` of an ``XLSXWriter``.
///
/// The rows of the sections are in the first three columns, the charts in two columns to their right.
package final class SummaryWriter {
  /// The name, local to its sheet, that makes an import skip the sheet.
  static let mark = "gymmigrate_summary"

  private static let widths: [Double] = [34, 18, 12, 3]
  /// The number of characters in a line of a note.
  private static let noteLength = 32
  private static let chartColumn = 4
  /// The number of columns and rows from one chart to the next, in their usual size (64 and 20 pixels).
  private static let chartPitch = (columns: 8, rows: 16)
  /// With more columns than this, their numbers would overlap.
  private static let labelledColumns = 12
  private static let chartSize = (width: 480.0, height: 300.0)

  private let workbook: XLSXWriter
  private let sheet: UnsafeMutablePointer<lxw_worksheet>
  private let name: String
  init(of workbook: XLSXWriter, _ sheet: UnsafeMutablePointer<lxw_worksheet>, named name: String) {
    self.workbook = workbook
    self.sheet = sheet
    self.name = name
  }

  /// Writes the sheet; call it once, before the workbook is finished.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func write(_ summary: SummarySheet) throws(Failure) {
    try workbook.drain()
    for (index, width) in Self.widths.enumerated() {
      worksheet_set_column(sheet, UInt16(index), UInt16(index), width, nil)
    }
    worksheet_gridlines(sheet, UInt8(LXW_HIDE_ALL_GRIDLINES.rawValue))
    worksheet_set_landscape(sheet)
    worksheet_fit_to_pages(sheet, 1, 0)
    try workbook.workbook?.defineName(Self.mark, ofSheet: name)

    worksheet_set_row(sheet, 0, 24, nil)
    let title = try format("title") {
      format_set_bold($0)
      format_set_font_size($0, 16)
    }
    try write(.text(summary.title), 0, 0, title)
    var row = 2
    var charts = 0
    for section in summary.sections {
      let heading = try format("heading") { format_set_bold($0) }
      if !section.title.isEmpty {
        let title = try format("section") {
          format_set_bold($0)
          format_set_font_size($0, 12)
          format_set_bottom($0, UInt8(LXW_BORDER_THIN.rawValue))
        }
        try write(.text(section.title), row, 0, title)
        row += 1
      }
      if section.rows.isEmpty {
        try write(.text(section.empty), row, 0, nil)
        row += 1
      } else {
        if section.headings.contains(where: { !$0.isEmpty }) {
          for (column, text) in section.headings.enumerated() where !text.isEmpty {
            let right = try format("right") {
              format_set_bold($0)
              format_set_align($0, UInt8(LXW_ALIGN_RIGHT.rawValue))
            }
            try write(.text(text), row, column, column == 0 ? heading : right)
          }
          row += 1
        }
        let first = row
        for cells in section.rows {
          for (column, cell) in cells.enumerated() { try write(cell, row, column, nil) }
          row += 1
        }
        if let chart = section.chart {
          try insert(chart, of: section, rows: first..<row, place: charts)
          charts += 1
        }
      }
      if let note = section.note {
        let wrapped = try format("note") {
          format_set_italic($0)
          format_set_text_wrap($0)
        }
        // Lines of the first column, in points.
        let lines = (note.unicodeScalars.count + Self.noteLength - 1) / Self.noteLength
        worksheet_set_row(sheet, UInt32(row), Double(lines) * 15, nil)
        try write(.text(note), row, 0, wrapped)
        row += 1
      }
      row += 1
    }
    try workbook.flush(sheet)
  }

  private static var finished: Failure {
    Failure(.internal, "write a summary", cause: "the workbook is finished")
  }

  // MARK: Cells

  private func write(
    _ cell: SummarySheet.Cell,
    _ row: Int,
    _ column: Int,
    _ format: UnsafeMutablePointer<lxw_format>?
  ) throws(Failure) {
    let (row, column) = (UInt32(row), UInt16(column))
    switch cell {
    case .empty: return
    case .number(let number, let code):
      let format = try self.format("\(column == 0)\(code)") {
        format_set_num_format($0, code)
        // Dates in the first column are labels, and aligned like texts.
        if column == 0 { format_set_align($0, UInt8(LXW_ALIGN_LEFT.rawValue)) }
      }
      try workbook.check(worksheet_write_number(sheet, row, column, number, format))
    case .text(let text):
      if text.isEmpty { return }
      try SheetText.withCell(text) { utf8 throws(Failure) in
        try workbook.check(worksheet_write_string(sheet, row, column, utf8, format))
      }
    }
  }

  private func format(
    _ name: String,
    _ set: (UnsafeMutablePointer<lxw_format>) -> Void
  ) throws(Failure) -> UnsafeMutablePointer<lxw_format> {
    guard let format = try workbook.format("summary \(name)", set) else { throw Self.finished }
    return format
  }

  // MARK: Charts

  /// Adds the chart of a section over its own cells.
  private func insert(
    _ kind: SummarySheet.Chart,
    of section: SummarySheet.Section,
    rows: Range<Int>,
    place: Int
  ) throws(Failure) {
    let type = kind == .bars ? LXW_CHART_BAR : LXW_CHART_COLUMN
    guard let chart = try workbook.workbook?.addChart(type) else { throw Self.finished }
    guard let series = chart_add_series(chart, nil, nil) else {
      throw Failure(.internal, "draw a chart", cause: "there is not enough memory")
    }
    let (first, last) = (UInt32(rows.lowerBound), UInt32(rows.upperBound - 1))
    chart_series_set_categories(series, name, first, 0, last, 0)
    chart_series_set_values(series, name, first, 1, last, 1)
    // The heading is above the numbers.
    chart_series_set_name_range(series, name, first - 1, 1)
    try SheetText.withCell(section.title) { title in chart_title_set_name(chart, title) }
    var font = lxw_chart_font()
    font.size = 12
    font.bold = UInt8(LXW_TRUE.rawValue)
    chart_title_set_name_font(chart, &font)
    chart_legend_set_position(chart, UInt8(LXW_CHART_LEGEND_NONE.rawValue))
    // The library names the axes of bars by where they are drawn.
    let isUpright = kind == .columns
    let categories = isUpright ? chart.pointee.x_axis : chart.pointee.y_axis
    let values = isUpright ? chart.pointee.y_axis : chart.pointee.x_axis
    let numbers = section.rows.compactMap { row -> Double? in
      if row.count > 1, case .number(let number, _) = row[1] { number } else { nil }
    }
    if numbers.allSatisfy({ $0 >= 0 }) { chart_axis_set_min(values, 0) }
    if case .number(_, let format)? = section.rows[0].dropFirst().first {
      chart_axis_set_num_format(values, format)
    }
    if case .number(_, let format)? = section.rows[0].first { chart_axis_set_num_format(categories, format) }
    if !isUpright || section.rows.count <= Self.labelledColumns { chart_series_set_labels(series) }
    if !isUpright {
      // The first row is at the top, and the axis of the numbers stays at the bottom.
      chart_axis_set_reverse(categories)
      chart_axis_set_label_position(values, UInt8(LXW_CHART_AXIS_LABEL_POSITION_HIGH.rawValue))
    }
    chart_set_series_gap(chart, 40)
    var options = lxw_chart_options()
    // The size that the library draws is 480 by 288.
    options.x_scale = Self.chartSize.width / 480
    options.y_scale = Self.chartSize.height / 288
    let row = UInt32(place / 2 * Self.chartPitch.rows)
    let column = UInt16(Self.chartColumn + place % 2 * Self.chartPitch.columns)
    try workbook.check(worksheet_insert_chart_opt(sheet, row, column, chart, &options))
  }
}
