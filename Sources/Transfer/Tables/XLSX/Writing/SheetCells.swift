import Schema

/// Renders documents as the rows of a sheet, by the rules of ``SheetWriter``.
struct SheetCells {
  var rows = RowBytes()

  private let collection: CollectionPath
  private let sheet: String
  private let timeZone: LocalTimeZone
  private var plan: ColumnPlan
  /// The properties of columns that cells need; copying whole columns would cost more than most cells.
  private var kinds: [(type: Column.ValueType, isTextLike: Bool, keepsNumbers: Bool)] = []
  private var cellText: CellText
  private var shownText: ShownText
  private var text: [UInt8] = []
  private var shown: [UInt8] = []
  private var escaped: [UInt8] = []
  /// The longest text of each column in the sampled rows, starting with the name.
  private var lengths: [Int] = [0]

  private static let sampledRows = 1000
  private static let largestExact: UInt64 = (1 << 53) - 1

  init(
    collection: CollectionPath,
    fields: [FieldPath]?,
    sheet: String,
    options: XLSXOptions
  ) throws(Failure) {
    plan = try ColumnPlan(collection: collection, fields: fields, schema: options.schema)
    cellText = try CellText(nullText: options.nullText, timeZone: options.timeZone)
    shownText = ShownText(like: cellText)
    self.collection = collection
    self.sheet = sheet
    timeZone = options.timeZone
  }

  /// Assigns the values of a document to the cells of its row.
  ///
  /// - Parameter cells: A buffer that the rows of a page share; all of it is nil.
  /// - Returns: The fields without a column; nil if there are none.
  /// - Throws: ``WireError`` if a value cannot be read; the cells are then nil again.
  mutating func position<Fields: ReadableFields>(
    _ fields: Fields,
    into cells: inout [Fields.Content?]
  ) throws(WireError) -> FieldMap? {
    do throws(WireError) {
      return try plan.position(fields, into: &cells)
    } catch {
      for index in cells.indices { cells[index] = nil }
      throw error
    }
  }

  /// Adds the row of a document; texts that exceed a cell go to the workbook's last sheet.
  ///
  /// - Parameters:
  ///   - rest: The fields without a column.
  ///   - cells: The cells of the row; afterwards all of them are nil.
  ///   - invalid: Returns the failure of a document with a value that cannot be decoded.
  mutating func append<Content: ReadableValue>(
    _ path: DocumentPath,
    rest: FieldMap?,
    cells: inout [Content?],
    _ workbook: XLSXWriter,
    _ invalid: (WireError) -> Failure
  ) throws(Failure) {
    let name = try path.name(below: collection)
    while kinds.count < cells.count {
      let column = plan.columns[kinds.count]
      kinds.append((column.type, column.isTextLike, Self.keepsNumbers(column)))
    }
    while lengths.count <= cells.count { lengths.append(0) }
    text.removeAll(keepingCapacity: true)
    text.append(contentsOf: name)
    try addText(column: 0, isTextLike: true, of: name, workbook)
    for index in cells.indices {
      guard let source = cells[index].take() else { continue }
      let value: Value
      do throws(WireError) {
        // A value without a view, such as a map whose members are not in order, may still be decoded.
        switch try? source.view() {
        case .string(let text)?:
          if text.withBytes({ addPlain($0, index) }) { continue }
          value = .string(text.copy)
        case .null?: value = .null
        case .boolean(let truth)?: value = .boolean(truth)
        case .integer(let number)?: value = .integer(number)
        case .double(let number)?: value = .double(number)
        case .timestamp(let moment)?: value = .timestamp(moment.timestamp)
        case .bytes?, .reference?, .geoPoint?, .array?, .map?, nil: value = try source.value()
        }
      } catch {
        throw invalid(error)
      }
      try add(value, index, of: name, workbook)
    }
    // Its column is the last one, whose cell is empty so far.
    if let rest { try add(.map(rest), plan.columns.count - 1, of: name, workbook) }
    rows.endRow()
  }

  /// Returns the columns, starting with the name.
  ///
  /// Their widths are those of the schema, or else from the sampled rows and the headings, and their number formats those of
  /// the schema.
  func columns(_ language: Column.HeaderLanguage) -> SheetColumns {
    let header = ["__name__"] + plan.columns.map { plan.heading(of: $0, language) }
    let widths = header.enumerated().map { index, heading -> Double in
      if index > 0, let width = plan.columns[index - 1].width { return width }
      let sampled = index < lengths.count ? lengths[index] : 0
      // The autofilter's arrow covers two characters.
      return Double(min(max(sampled, heading.unicodeScalars.count + 2, 8), 60)) + 1
    }
    let formats = [nil] + plan.columns.map { $0.numberFormat.flatMap(XLSXStyles.unmarked) }
    return SheetColumns(
      header: header,
      widths: widths,
      numberFormats: formats,
      extras: SheetExtras(plan.columns)
    )
  }

  // MARK: Cells

  /// Adds a text unchanged, which suits nearly every text; returns false, without adding it, if it may need more care.
  private mutating func addPlain(_ utf8: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    let (type, isTextLike, _) = kinds[index]
    guard type == .string || type == .any, !utf8.isEmpty, utf8.count <= SheetText.maximumLength,
      SheetText.isPlain(utf8), cellText.isPlain(utf8, isTyped: type == .string)
    else { return false }
    rows.text(utf8, column: index + 1, isTextLike: isTextLike)
    sample(index + 1, utf8.count)
    return true
  }

  private mutating func add(
    _ value: Value,
    _ index: Int,
    of name: Substring.UTF8View,
    _ workbook: XLSXWriter
  ) throws(Failure) {
    let (type, isTextLike, keepsNumbers) = kinds[index]
    switch value {
    // The digits of an identifier are a text.
    case .integer(let number)
    where number.magnitude <= Self.largestExact && !(type == .string && isTextLike):
      // A column of another type reads a marked number with its own type; one of strings reads its digits.
      let mark: RowBytes.Mark = type == .integer || type == .any || type == .string ? .none : .integer
      let isExact = keepsNumbers && number.magnitude < Self.largestShort
      if try isExact ? true : keep(value, .number(Double(number), mark), index, of: name, workbook) {
        rows.number(Double(number), column: index + 1, as: mark)
        return sample(index + 1, 12)
      }
    case .double(let number) where number.isFinite:
      // When read back, a whole number is an integer unless its column or format specifies otherwise. This includes a
      // number typed over another one.
      let mark: RowBytes.Mark = type != .double && type != .string ? .double : .none
      let bounded = max(-Self.largestNumber, min(Self.largestNumber, number))
      let isExact = keepsNumbers && Self.isShort(number)
      if try isExact ? true : keep(value, .number(bounded, mark), index, of: name, workbook) {
        rows.number(bounded, column: index + 1, as: mark)
        return sample(index + 1, 12)
      }
    case .boolean(let truth):
      let isExact = type == .boolean || type == .any
      if try isExact ? true : keep(value, .boolean(truth), index, of: name, workbook) {
        rows.boolean(truth, column: index + 1)
        return sample(index + 1, 6)
      }
    case .timestamp(let moment):
      guard let serial = serial(of: moment) else { break }
      let mark: RowBytes.Mark = moment.nanoseconds % 1_000_000 == 0 ? .date : .fineDate
      // Other programs round microseconds when they save.
      let isExact = (type == .timestamp || type == .any) && mark == .date
      if try isExact ? true : keep(value, .number(serial, mark), index, of: name, workbook) {
        rows.number(serial, column: index + 1, as: mark)
        return sample(index + 1, 19)
      }
    default: break
    }
    text.removeAll(keepingCapacity: true)
    cellText.append(value, as: Self.type(of: value, in: type), to: &text)
    if let first = text.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      try addShown(value, index, of: name, workbook)
    {
      return
    }
    // An empty cell alone is a missing value, as if somebody had cleared it. LibreOffice drops carriage returns
    // when it saves.
    let isLost = text.isEmpty ? !value.isNull : text.contains(0x0D)
    if isLost, try addKept(value, text, index, of: name, workbook) { return }
    try addText(column: index + 1, isTextLike: isTextLike, of: name, workbook)
  }

  /// Stores a value that its cell does not represent exactly in the hidden sheet; returns false if it does not fit there.
  private func keep(
    _ value: Value,
    _ cell: ShownCell,
    _ index: Int,
    of name: Substring.UTF8View,
    _ workbook: XLSXWriter
  ) throws(Failure) -> Bool {
    try workbook.exactValues.keep(
      value,
      shown: cell,
      text: escaped,
      sheet: sheet,
      document: name,
      field: plan.columns[index].path.description
    )
  }

  /// Adds the ``ShownText`` of a value instead of ``text``, which is JSON with types; returns false if both are the same,
  /// or if the value does not fit into the hidden sheet.
  private mutating func addShown(
    _ value: Value,
    _ index: Int,
    of name: Substring.UTF8View,
    _ workbook: XLSXWriter
  ) throws(Failure) -> Bool {
    shown.removeAll(keepingCapacity: true)
    shownText.append(value, to: &shown)
    return try shown == text ? false : addKept(value, shown, index, of: name, workbook)
  }

  /// Adds a text and stores the value in the hidden sheet; returns false, without adding it, if the value does not fit
  /// there.
  private mutating func addKept(
    _ value: Value,
    _ text: [UInt8],
    _ index: Int,
    of name: Substring.UTF8View,
    _ workbook: XLSXWriter
  ) throws(Failure) -> Bool {
    escaped.removeAll(keepingCapacity: true)
    text.withUnsafeBufferPointer { SheetText.append($0, to: &escaped) }
    guard SheetText.fits(escaped) else { return false }
    let isTextLike = kinds[index].isTextLike
    guard try keep(value, .text(isTextLike: isTextLike), index, of: name, workbook) else { return false }
    rows.text(escaped, column: index + 1, isTextLike: isTextLike)
    sample(index + 1, escaped.count)
    return true
  }

  /// Whether numbers in a column are read back as numbers.
  private static func keepsNumbers(_ column: Column) -> Bool {
    switch column.type {
    case .integer, .double: true
    case .any: column.numberFormat.flatMap { PaddedFormat($0) } == nil
    default: false
    }
  }

  /// The largest number whose 16 digits in a workbook are still a double; slightly larger ones would become infinite.
  private static let largestNumber = 1.797693134862315e308
  /// Integers below have at most 15 digits.
  private static let largestShort: UInt64 = 1_000_000_000_000_000

  /// Whether 15 digits determine a finite number, and spreadsheets support numbers of its size and sign.
  static func isShort(_ number: Double) -> Bool {
    // Nearly every number is an amount with few decimals. A whole number divided by a power of ten is the
    // double nearest to the decimal, which therefore determines it.
    let scaled = (number * 10_000).rounded()
    if scaled.magnitude < 1e15, scaled / 10_000 == number { return number != 0 || number.sign == .plus }
    return isSpreadsheetNumber(number, digits: 15)
  }

  /// Whether spreadsheets support a number: it is within their bounds and determined by that many digits.
  ///
  /// Earlier versions of export wrote other numbers as text, which is still read as a number.
  static func isSpreadsheetNumber(_ number: Double, digits maximum: Int = 16) -> Bool {
    if number == 0 { return true }
    guard number.magnitude >= 2.3e-308, number.magnitude <= 9.99999999999999e307 else { return false }
    // A description may end in .0, which a whole number does not need.
    let largest = maximum < 16 ? Double(largestShort) : Double(largestExact)
    if number.magnitude < largest, number.rounded() == number { return true }
    var digits = 0
    var isLeading = true
    for byte in number.description.utf8 {
      if byte | 0x20 == UInt8(ascii: "e") { break }
      if isLeading, byte <= UInt8(ascii: "0") { continue }
      isLeading = false
      if byte != UInt8(ascii: ".") { digits += 1 }
    }
    return digits <= maximum
  }

  /// Returns the type for writing a text.
  ///
  /// In a column without a type, a string is plain unless it looks like a value that is written as text.
  private static func type(of value: Value, in column: Column.ValueType) -> Column.ValueType {
    guard column == .any, case .string(let string) = value else { return column }
    let (form, isAddress) = string.withBytes { (CellForm($0), AddressText.isAddress($0)) }
    switch form {
    case _ where isAddress: return .any
    case .text, .exponent, .boolean: return .string
    case .integer: return (Int64(string)?.magnitude ?? 0) <= Self.largestExact ? .string : .any
    case .double: return Double(string).map { Self.isSpreadsheetNumber($0) } ?? false ? .string : .any
    case .timestamp: return .any
    }
  }

  /// Adds ``text``, escaped, or a mark for it if it is too long for a cell.
  private mutating func addText(
    column: Int,
    isTextLike: Bool,
    of name: Substring.UTF8View,
    _ workbook: XLSXWriter
  ) throws(Failure) {
    escaped.removeAll(keepingCapacity: true)
    text.withUnsafeBufferPointer { SheetText.append($0, to: &escaped) }
    // The number of bytes is sufficient for nearly every text.
    var length = escaped.count
    if length > SheetText.maximumLength {
      length = SheetText.length(escaped)
      if length > SheetText.maximumLength {
        let field = column == 0 ? FieldPath.documentName : plan.columns[column - 1].path
        escaped = try text.withUnsafeBufferPointer { text throws(Failure) in
          try workbook.longTexts.keep(text, sheet: sheet, document: name, field: field.description)
        }
      }
    }
    rows.text(escaped, column: column, isTextLike: isTextLike)
    sample(column, length)
  }

  private mutating func sample(_ column: Int, _ length: Int) {
    if rows.count < Self.sampledRows { lengths[column] = max(lengths[column], min(length, 60)) }
  }

  /// Returns the number of a time in the zone; nil if a date in a sheet cannot represent it.
  ///
  /// That is the case before 1 March 1900, after 9999, for fractions of a microsecond, and in the second pass of a repeated
  /// hour.
  private func serial(of moment: Timestamp) -> Double? {
    timeZone.unambiguousTime(of: moment).flatMap {
      SheetDate.serial(local: $0, nanoseconds: moment.nanoseconds)
    }
  }
}
