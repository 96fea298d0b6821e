import FirestoreModels
import Platform

/// Reads the rows of a worksheet one at a time, in constant memory.
struct XLSXSheetReader: ~Copyable {
  private let path: String
  private let sheet: String
  private let countsFrom1904: Bool
  private let handler: SheetHandler
  private var stream: XMLStream
  private var strings: SharedStrings?
  /// The number of the first row that is not empty, which is the header if there is one.
  private var firstRow = 0

  /// Opens a sheet.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` or `cannotWrite`.
  init(_ sheet: XLSXPackage.Sheet, of package: XLSXPackage) throws(Failure) {
    let handler = SheetHandler(package.styles)
    guard let entry = try ZIPEntry.open(sheet.part, in: package.path) else {
      throw Failure.malformed(package.path, "its \(sheet.part) is missing")
    }
    let stream = try XMLStream(entry, handler)
    let strings = try package.sharedStrings.map { part throws(Failure) in
      try SharedStrings.read(part, in: package.path)
    }
    path = package.path
    self.sheet = sheet.name
    countsFrom1904 = package.countsFrom1904
    self.handler = handler
    self.stream = stream
    self.strings = strings
  }

  /// The offset in the compressed part of the sheet.
  var position: Int { stream.position }

  /// Reads the next row that has cells into `row`; false at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed`, also for merged cells, of which only the first has a
  ///   value.
  mutating func next(_ row: inout CellRow) throws(Failure) -> Bool {
    while try stream.advance() {
      row.begin(number: handler.row)
      var holdsSomething = false
      for cell in handler.cells {
        while row.count < cell.column { row.endCell(.missing) }
        let kind = try take(cell, &row)
        row.endCell(kind)
        if kind != .missing, kind != .blankText { holdsSomething = true }
      }
      if holdsSomething, firstRow == 0 { firstRow = row.number }
      return true
    }
    if let merged = handler.merged.first(where: { $0.lastRow >= firstRow }) {
      let location = merged.firstRow <= firstRow ? " in the header" : ""
      throw Failure.malformed(
        path,
        "sheet \(sheet), row \(merged.firstRow): the cells \(merged.text) are merged\(location)",
        remedy: "Unmerge them: every row and column must have its own cell."
      )
    }
    return false
  }

  /// Appends the text of a cell to the row and returns its kind.
  private mutating func take(
    _ cell: SheetHandler.Cell,
    _ row: inout CellRow
  ) throws(Failure) -> CellRow.Kind {
    let value = handler.bytes[cell.start..<cell.end]
    func malformed(_ cause: String) -> Failure {
      .malformed(path, "sheet \(sheet), row \(row.number), column \(cell.column + 1): \(cause)")
    }
    switch cell.type {
    case .shared:
      guard let index = Int(String(decoding: value, as: UTF8.self)),
        try strings?.append(index, to: &row.bytes) ?? false
      else { throw malformed("its text is not in the workbook") }
      return .text
    case .inline, .formulaText:
      var text = Array(value)
      SheetText.unescape(&text)
      row.bytes.append(contentsOf: text)
      // A formula with an empty result looks like an empty cell.
      return text.isEmpty && cell.type == .formulaText ? .missing : .text
    case .boolean:
      row.bytes.append(contentsOf: (value.first == UInt8(ascii: "1") ? "true" : "false").utf8)
      return value.isEmpty ? .missing : .boolean
    case .error:
      row.bytes.append(contentsOf: value)
      return .error
    case .isoDate:
      row.bytes.append(contentsOf: value)
      return .date
    case .number:
      if value.isEmpty { return handler.styles[cell.style] == .text ? .blankText : .missing }
      let text = String(decoding: value, as: UTF8.self)
      guard let number = Double(text), number.isFinite else { throw malformed("its number is invalid") }
      let form = handler.styles[cell.style]
      switch form {
      case .date, .fineDate, .time:
        let isTime = (0..<1).contains(number) && !(countsFrom1904 && form == .date)
        if !isTime { return appendDate(number, isFine: form == .fineDate, &row.bytes) ? .date : .error }
        let microseconds = SheetDate.split(number, isFine: false).microseconds
        appendClock(microseconds, alwaysSeconds: false, &row.bytes)
        return .time
      case .boolean where number == 0 || number == 1:
        row.bytes.append(contentsOf: (number == 1 ? "true" : "false").utf8)
        return .boolean
      case .boolean, .number, .text, .double, .integer:
        row.bytes.append(contentsOf: value)
        return form == .double ? .double : form == .integer ? .integer : .number
      }
    }
  }

  // MARK: Dates

  /// Appends the date of a serial number; returns false for a number outside the calendar, which is appended
  /// as it is.
  private func appendDate(_ serial: Double, isFine: Bool, _ out: inout [UInt8]) -> Bool {
    let (day, microseconds) = SheetDate.split(serial, isFine: isFine)
    let days: Int
    if countsFrom1904 {
      days = day - 24_107
    } else if day == 60 {
      // 29 February 1900 did not exist.
      out.append(contentsOf: "1900-02-29".utf8)
      return false
    } else {
      days = day - (day > 60 ? SheetDate.epoch : SheetDate.epoch - 1)
    }
    // Years 1900 to 9999.
    guard days >= -25_567, days < 2_932_897 else {
      out.append(contentsOf: serial.description.utf8)
      return false
    }
    let date = Civil.date(days: days)
    appendDigits(date.year, 4, &out)
    out.append(UInt8(ascii: "-"))
    appendDigits(date.month, 2, &out)
    out.append(UInt8(ascii: "-"))
    appendDigits(date.day, 2, &out)
    out.append(UInt8(ascii: "T"))
    appendClock(microseconds, alwaysSeconds: true, &out)
    return true
  }

  private func appendClock(_ microseconds: Int, alwaysSeconds: Bool, _ out: inout [UInt8]) {
    appendDigits(microseconds / 3_600_000_000, 2, &out)
    out.append(UInt8(ascii: ":"))
    appendDigits(microseconds / 60_000_000 % 60, 2, &out)
    let rest = microseconds % 60_000_000
    guard alwaysSeconds || rest > 0 else { return }
    out.append(UInt8(ascii: ":"))
    appendDigits(rest / 1_000_000, 2, &out)
    guard rest % 1_000_000 > 0 else { return }
    out.append(UInt8(ascii: "."))
    let isFine = rest % 1000 > 0
    appendDigits(isFine ? rest % 1_000_000 : rest / 1000 % 1000, isFine ? 6 : 3, &out)
  }

  private func appendDigits(_ number: Int, _ width: Int, _ out: inout [UInt8]) {
    var scale = 1
    for _ in 1..<width { scale *= 10 }
    while scale > 0 {
      out.append(UInt8(ascii: "0") + UInt8(number / scale % 10))
      scale /= 10
    }
  }
}

/// Collects the cells of a row, and the merged cells.
private final class SheetHandler: XMLHandler {
  enum CellType {
    case number, shared, inline, formulaText, boolean, error, isoDate
  }

  struct Cell {
    var column: Int
    var type: CellType
    var style: Int
    var start: Int
    var end: Int
  }

  struct Range {
    var text: String
    var firstRow: Int
    var lastRow: Int
  }

  /// Excel's limits.
  static let maximumRows = 1_048_576
  static let maximumColumns = 16_384

  let styles: XLSXStyles
  private(set) var row = 0
  private(set) var cells: [Cell] = []
  private(set) var bytes: [UInt8] = []
  private(set) var merged: [Range] = []
  private var isInRow = false
  private var isCapturing = false
  private var phonetic = 0

  init(_ styles: XLSXStyles) {
    self.styles = styles
  }

  override func start(_ name: Name, _ attributes: XMLAttributes) {
    if !isInRow {
      if name.isNamed("row") {
        startRow(attributes)
      } else if name.isNamed("mergeCell"), let text = attributes["ref"] {
        addMerged(text)
      }
    } else if name.isNamed("c") {
      startCell(attributes)
    } else if name.isNamed("v") {
      isCapturing = true
    } else if name.isNamed("t"), phonetic == 0 {
      isCapturing = true
    } else if name.isNamed("rPh") {
      phonetic += 1
    }
  }

  override func end(_ name: Name) {
    guard isInRow else { return }
    if name.isNamed("v") || name.isNamed("t") {
      isCapturing = false
    } else if name.isNamed("c") {
      if let last = cells.indices.last { cells[last].end = bytes.count }
    } else if name.isNamed("row") {
      isInRow = false
      if !cells.isEmpty { pause() }
    } else if name.isNamed("rPh") {
      phonetic -= 1
    }
  }

  override func text(_ utf8: UnsafeBufferPointer<UInt8>) {
    guard isCapturing, let cell = cells.last else { return }
    bytes.append(contentsOf: utf8)
    if bytes.count - cell.start > SheetText.maximumCellBytes {
      refuse("row \(row), column \(cell.column + 1): the text is longer than a cell can hold")
    }
  }

  private func startRow(_ attributes: XMLAttributes) {
    let number = attributes.value("r").map { Int(atoi($0)) } ?? row + 1
    guard number > row, number <= Self.maximumRows else {
      return refuse("row \(number) follows row \(row)")
    }
    row = number
    isInRow = true
    cells.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

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
    var type = CellType.number
    if let text = attributes.value("t") {
      if text.isNamed("s") {
        type = .shared
      } else if text.isNamed("inlineStr") {
        type = .inline
      } else if text.isNamed("str") {
        type = .formulaText
      } else if text.isNamed("b") {
        type = .boolean
      } else if text.isNamed("e") {
        type = .error
      } else if text.isNamed("d") {
        type = .isoDate
      }
    }
    let style = attributes.value("s").map { Int(atoi($0)) } ?? 0
    cells.append(Cell(column: column, type: type, style: style, start: bytes.count, end: bytes.count))
  }

  /// Returns the column of a reference such as `AB12`, from 0.
  private static func column(_ reference: UnsafePointer<CChar>) -> Int? {
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

  private func addMerged(_ text: String) {
    let rows = text.split(separator: ":").compactMap { Int($0.drop { $0.isLetter }) }
    guard let first = rows.min(), let last = rows.max(), merged.count < 1000 else { return }
    merged.append(Range(text: String(text.prefix(30)), firstRow: first, lastRow: last))
  }
}
