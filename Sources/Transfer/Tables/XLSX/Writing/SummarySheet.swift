package import Schema

/// A report sheet of a workbook: a title and sections of rows, some with a native chart.
///
/// It is not a table of documents; ``TableReader`` and the import skip it.
package struct SummarySheet: Sendable {
  package enum Cell: Sendable, Equatable {
    case empty
    case text(String)
    /// A number in a number format.
    case number(Double, format: String)

    /// A number without decimals; a text if a workbook cannot represent it exactly.
    package static func count(_ count: Int) -> Cell {
      count.magnitude <= 1 << 53 ? .number(Double(count), format: "#,##0") : .text(String(count))
    }

    /// A day as a date; as text before 1 March 1900, where Excel's calendar is wrong.
    package static func day(_ day: CalendarDay, format: String = "yyyy-mm-dd") -> Cell {
      let serial = day.number + SheetDate.epoch
      guard serial >= SheetDate.firstDay, serial <= SheetDate.lastDay else { return .text(day.text) }
      return .number(Double(serial), format: format)
    }
  }

  package enum Chart: Sendable {
    /// Horizontal bars, for headings.
    case bars
    /// Vertical columns, for steps of time.
    case columns
  }

  /// A heading and the rows below it; a chart plots the second cell of each row against the first.
  package struct Section: Sendable {
    package var title: String
    package var headings: [String]
    package var rows: [[Cell]]
    /// The chart; it is not drawn if there are no rows.
    package var chart: Chart?
    /// The text shown if there are no rows.
    package var empty: String
    package var note: String?

    package init(
      _ title: String,
      headings: [String],
      rows: [[Cell]],
      chart: Chart? = nil,
      empty: String = "",
      note: String? = nil
    ) {
      self.title = title
      self.headings = headings
      self.rows = rows
      self.chart = chart
      self.empty = empty
      self.note = note
    }
  }

  package var title: String
  package var sections: [Section]

  package init(title: String, sections: [Section]) {
    self.title = title
    self.sections = sections
  }
}
