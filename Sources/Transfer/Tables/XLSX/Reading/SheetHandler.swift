import Platform

/// Collects the cells of a row, and the merged cells.
final class SheetHandler: XMLHandler {
  enum CellType {
    case number, shared, inline, formulaText, boolean, error, isoDate

    private static let names: [(name: StaticString, type: CellType)] = [
      ("s", .shared), ("inlineStr", .inline), ("str", .formulaText), ("b", .boolean), ("e", .error),
      ("d", .isoDate),
    ]

    /// - Parameter name: The attribute `t` of a cell.
    init(_ name: UnsafePointer<CChar>) {
      self = Self.names.first { name.isNamed($0.name) }?.type ?? .number
    }

    /// Whether an empty value is an empty text.
    var isText: Bool { self == .inline || self == .formulaText }
  }

  struct Cell {
    var column: Int
    var type: CellType
    var style = 0
    /// The value, as a range of ``SheetHandler/bytes``.
    var start: Int
    var end: Int
    /// The formula, as a range of ``SheetHandler/formulas``; nil if the cell has none.
    var formula: Range<Int>?
    /// Whether there is a value, even an empty one.
    var hasValue = false
  }

  /// Excel's limits.
  static let maximumRows = 1_048_576
  static let maximumColumns = 16_384
  /// The maximum number of areas of merged cells.
  private static let maximumMerged = 100_000
  /// The maximum number of bytes kept of a formula, more than one of ``SheetLinks`` has.
  private static let maximumFormula = 4096

  private(set) var row = 0
  private(set) var cells: [Cell] = []
  private(set) var bytes: [UInt8] = []
  private(set) var formulas: [UInt8] = []
  private(set) var merged: [MergedCells] = []
  /// Whether the row is hidden, for example by a filter.
  private(set) var isRowHidden = false
  /// The hidden columns, from 0.
  private(set) var hiddenColumns: [ClosedRange<Int>] = []
  private var spills = FormulaSpills()
  private var isInRow = false
  private var isInInline = false
  private var isCapturing = false
  private var isInFormula = false
  private var phonetic = 0

  override func start(_ name: Name, _ attributes: XMLAttributes) {
    if !isInRow {
      if name.isNamed("row") {
        startRow(attributes)
      } else if name.isNamed("mergeCell"), let text = attributes["ref"] {
        addMerged(text)
      } else if name.isNamed("col"), Self.isHidden(attributes) {
        addHiddenColumns(attributes)
      }
    } else if name.isNamed("c") {
      startCell(attributes)
    } else if name.isNamed("v") {
      startValue()
    } else if name.isNamed("f") {
      startFormula(attributes)
    } else if name.isNamed("is") {
      startInline()
    } else if name.isNamed("t") {
      isCapturing = isInInline && phonetic == 0
    } else if name.isNamed("rPh") {
      phonetic += 1
    }
  }

  override func end(_ name: Name) {
    guard isInRow else { return }
    if name.isNamed("v") || name.isNamed("t") {
      isCapturing = false
    } else if name.isNamed("f") {
      isInFormula = false
    } else if name.isNamed("is") {
      isInInline = false
    } else if name.isNamed("c") {
      endCell()
    } else if name.isNamed("row") {
      endRow()
    } else if name.isNamed("rPh") {
      phonetic -= 1
    }
  }

  override func text(_ utf8: UnsafeBufferPointer<UInt8>) {
    guard isCapturing || isInFormula, let last = cells.indices.last else { return }
    if isInFormula {
      let start = cells[last].formula?.lowerBound ?? formulas.count
      formulas.append(contentsOf: utf8.prefix(start + Self.maximumFormula - formulas.count))
      cells[last].formula = start..<formulas.count
      return
    }
    bytes.append(contentsOf: utf8)
    if bytes.count - cells[last].start > SheetText.maximumCellBytes {
      refuse("row \(row), column \(cells[last].column + 1): the text is longer than a cell can hold")
    }
  }

  // MARK: Rows

  private func startRow(_ attributes: XMLAttributes) {
    let number = attributes.value("r").map { Int(atoi($0)) } ?? row + 1
    guard number > row, number <= Self.maximumRows else {
      return refuse("row \(number) follows row \(row)")
    }
    row = number
    isInRow = true
    isRowHidden = Self.isHidden(attributes)
    cells.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    formulas.removeAll(keepingCapacity: true)
  }

  private func endRow() {
    isInRow = false
    spills.apply(to: &cells, row: row)
    if !cells.isEmpty { pause() }
  }

  private static func isHidden(_ attributes: XMLAttributes) -> Bool {
    attributes.value("hidden").map { $0.isNamed("1") || $0.isNamed("true") } ?? false
  }

  private func addHiddenColumns(_ attributes: XMLAttributes) {
    guard hiddenColumns.count < Self.maximumColumns, let first = attributes["min"].flatMap({ Int($0) }),
      let last = attributes["max"].flatMap({ Int($0) }), first > 0, first <= last,
      last <= Self.maximumColumns
    else { return }
    hiddenColumns.append((first - 1)...(last - 1))
  }

  private func addMerged(_ text: String) {
    guard let area = MergedCells(text) else { return }
    if merged.count == Self.maximumMerged { return refuse("more than \(merged.count) areas are merged") }
    merged.append(area)
  }

  // MARK: Cells

  private func startCell(_ attributes: XMLAttributes) {
    var column = (cells.last?.column ?? -1) + 1
    if let reference = attributes.value("r") {
      guard let named = Self.column(reference), named >= column else {
        return refuse(
          "row \(row): cell \(String(cString: reference).prefix(20)) follows column \(column)"
        )
      }
      column = named
    }
    guard column < Self.maximumColumns else { return refuse("row \(row) has too many columns") }
    let type = attributes.value("t").map { CellType($0) } ?? .number
    let style = attributes.value("s").map { Int(atoi($0)) } ?? 0
    cells.append(Cell(column: column, type: type, style: style, start: bytes.count, end: bytes.count))
  }

  private func endCell() {
    guard let last = cells.indices.last else { return }
    cells[last].end = bytes.count
    if cells[last].hasValue { spills.drop(from: row, cells[last].column) }
  }

  /// Starts a `<v>`; the text of an `<is>` takes precedence.
  private func startValue() {
    guard let last = cells.indices.last, !(cells[last].type == .inline && cells[last].hasValue) else {
      return
    }
    cells[last].hasValue = true
    isCapturing = true
  }

  private func startInline() {
    guard let last = cells.indices.last else { return }
    guard cells[last].type == .inline else {
      return refuse("row \(row), column \(cells[last].column + 1): its text is in a cell of another type")
    }
    bytes.removeSubrange(cells[last].start...)
    cells[last].hasValue = true
    isInInline = true
  }

  private func startFormula(_ attributes: XMLAttributes) {
    guard let last = cells.indices.last else { return }
    cells[last].formula = formulas.count..<formulas.count
    isInFormula = true
    if let reference = attributes["ref"], attributes["t"] != "shared",
      !spills.add(reference, from: row, cells[last].column)
    {
      refuse("row \(row): too many formulas without stored results fill several cells")
    }
  }

  /// Returns the column of a reference such as `AB12`, from 0.
  static func column(_ reference: UnsafePointer<CChar>) -> Int? {
    var column = 0
    var at = reference
    while let digit = UInt8(exactly: at.pointee), digit >= UInt8(ascii: "A"), digit <= UInt8(ascii: "Z"),
      column <= maximumColumns
    {
      column = column * 26 + Int(digit - UInt8(ascii: "A")) + 1
      at += 1
    }
    return column == 0 ? nil : column - 1
  }
}
