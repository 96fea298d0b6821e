package import Schema

/// Parses the cells of a table as written by export, saved by spreadsheets or typed by people.
package struct CellValues {
  /// A cell that does not match its column.
  package struct Fault: Error {
    /// The type that was expected; nil if ``rest`` says everything.
    private let type: Column.ValueType?
    /// The text after the name of the type.
    private let rest: String

    package init(expected: String) { (type, rest) = (nil, expected) }

    init(_ type: Column.ValueType, _ rest: String = "") { (self.type, self.rest) = (type, rest) }

    /// What was expected.
    package var expected: String { expectation(into: nil) }

    /// Returns what was expected; the example of a reference is into the given collection.
    package func expectation(into collection: CollectionPath?) -> String {
      (type.map { CellValues.name(of: $0, into: collection) } ?? "") + rest
    }
  }

  package let isSheet: Bool
  private let readsForms: Bool
  private let text: CellText
  let timeZone: LocalTimeZone
  /// The columns that are text because their cells are of different types.
  private let mixed: Set<Int>
  /// The columns whose texts are days, however people type them.
  let days: Set<Int>
  /// Whether days and times of day stay as typed, and only dates of a sheet become days.
  let keepsDays: Bool
  /// The columns whose texts are times of day.
  let times: Set<Int>
  /// The columns in which spreadsheet errors are refused.
  let errorColumns: Set<Int>
  /// The column `__name__`, which has no type.
  let nameColumn: Int?
  let numbers: TypedNumbers
  private let doubtsDecimalComma: Bool
  /// The database of references that do not name one.
  private let database: DatabaseName?
  /// The order of dates, and that of columns with their own.
  package let dateOrder: DateOrder
  let dateOrders: [Int: DateOrder]
  /// The types of untyped columns whose cells in REST JSON are all references or all geo points.
  private let addressTypes: [Int: Column.ValueType]
  private let parser = JSONParser(keepsNumbers: true)

  /// The words for true and false in a column of booleans.
  static let words = BooleanWords.truth.merging(["1": true, "0": false]) { $1 }
  static let largestExact = 9_007_199_254_740_991.0
  static let unheldDigits = "a number that a double holds: it would lose digits, which text keeps"

  /// Creates the rules of a table.
  ///
  /// - Throws: ``Failure`` of kind `usage` for an ambiguous null text.
  package init(_ plan: TablePlan, _ options: TableOptions) throws(Failure) {
    isSheet = plan.isSheet
    readsForms = plan.readsForms
    timeZone = options.timeZone
    mixed = plan.inferred.union(plan.texts)
    days = plan.textColumns(where: \.isDay)
    keepsDays = plan.readsForms && options.keepsDays
    times = plan.textColumns(where: \.isTimeOfDay)
    nameColumn = plan.nameColumn
    errorColumns = plan.isSheet ? [] : plan.errorColumns
    numbers = TypedNumbers(options.reading)
    doubtsDecimalComma = options.doubtsDecimalComma
    database = options.database
    dateOrder = options.dateOrder ?? .dayFirst
    dateOrders = plan.dateOrders
    addressTypes = plan.addressTypes
    text = try CellText(
      nullText: options.nullText ?? "null",
      timeZone: options.timeZone,
      neutralisesFormulas: plan.isForExcel
    )
  }

  /// Whether the decimal separator is a comma.
  package var usesDecimalComma: Bool { numbers.usesDecimalComma }

  /// The rules for writing the same table.
  package var writing: CellText { text }

  /// Returns the value of a cell; nil if it is missing.
  package func value(
    of row: CellRow,
    _ index: Int,
    as type: Column.ValueType,
    _ longTexts: LongTextIndex?
  ) throws(Fault) -> Value? {
    switch row.kind(index) {
    case .missing: return nil
    case .error, .formula, .impossibleDate:
      throw Fault(type, "; \(row.lack(index) ?? "the cell has none")")
    case .bare, .text:
      return try row.withUTF8(of: index) { utf8 throws(Fault) in
        guard let mark = LongTextMark(utf8) else { return try value(of: utf8, index, as: type) }
        let long = try Self.text(of: mark, longTexts, in: row, index)
        return try long.span.withUnsafeBufferPointer { utf8 throws(Fault) in
          try value(of: utf8, index, as: type)
        }
      }
    case .double where readsForms, .integer where readsForms:
      guard type != .string, let number = row.number(index) else {
        return try number(of: row, index, as: type)
      }
      if row.kind(index) == .integer, number.magnitude > Self.largestExact { throw Self.lostDigits(.integer) }
      if row.kind(index) == .double { try assertDigits(of: row, index) }
      if row.kind(index) == .double { return .double(number) }
      return Int64(exactly: number).map { .integer($0) } ?? .double(number)
    case .padded where type == .string || type == .any:
      guard row.number(index).map({ $0.magnitude < PaddedFormat.limit }) ?? false else {
        throw Self.lostDigits(type)
      }
      return .string(row[index])
    case .textNumber where readsForms && type == .any:
      return try number(of: row, index, as: .string)
    case .number, .textNumber, .double, .integer, .padded:
      return try number(of: row, index, as: type)
    case .boolean:
      if type == .boolean || type == .any { return .boolean(row[index] == "true") }
      if type == .string, mixed.contains(index) { return .string(row[index]) }
      throw Fault(type)
    case .date:
      if type == .string, mixed.contains(index) || days.contains(index) {
        return .string(Self.shown(date: row[index]))
      }
      guard type == .timestamp || type == .any else {
        throw Fault(type, "; the cell is a date")
      }
      return try row.withUTF8(of: index) { utf8 throws(Fault) in
        try moment(Self.withoutMidnight(utf8), .dayFirst)
      }
    case .time:
      // A typed "18:30" is a time of day, which the apps store as text.
      guard type == .string || type == .any else {
        throw Fault(type, "; the cell is a time of day")
      }
      return .string(row[index])
    case .duration: return try duration(row[index], as: type)
    }
  }

  package func isNull(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    !utf8.isEmpty && utf8.elementsEqual(text.nullBytes)
  }

  /// Returns the value of a cell in REST JSON; nil for any other cell.
  package func rest(_ utf8: UnsafeBufferPointer<UInt8>) -> Value? {
    guard utf8.first == UInt8(ascii: "{") else { return nil }
    return try? text.value(of: utf8, isQuoted: true, as: .any, parser: parser)
  }

  package func isArray(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    (try? text.value(of: utf8, isQuoted: true, as: .array, parser: parser)) != nil
  }

  /// Returns the boolean for a word in any case.
  package static func boolean(_ utf8: UnsafeBufferPointer<UInt8>, words: [String: Bool]) -> Bool? {
    if utf8.count > 10 { return nil }
    return words[String(decoding: utf8, as: UTF8.self).lowercased()]
  }

  /// Describes the valid cells of a type; the example of a reference is into the given collection.
  package static func name(of type: Column.ValueType, into collection: CollectionPath? = nil) -> String {
    switch type {
    case .string: "text"
    case .integer: "a whole number"
    case .double: "a number"
    case .boolean: "true or false"
    case .timestamp: "a date, such as 31/12/2026, 2026-12-31 18:30 or RFC 3339"
    case .array: "a JSON array"
    case .reference: "a reference, such as \(collection.map { "\($0)/ID" } ?? "cars/c1")"
    case .geopoint: "a geo point, such as 19.4326, -99.1332"
    case .bytes: "bytes in Base64"
    case .any: "a value"
    }
  }

  // MARK: Text

  private func value(
    of cell: UnsafeBufferPointer<UInt8>,
    _ index: Int,
    as type: Column.ValueType
  ) throws(Fault) -> Value? {
    // In a sheet, an empty text is invisible. Some programs quote every cell of a CSV file; it is an empty text only in
    // columns that allow text.
    let isText = type == .string || type == .any
    if cell.isEmpty { return !isSheet && isText ? .string("") : nil }
    // Spaces around a value that is not text say nothing.
    let utf8 = isText ? cell : Self.trimmed(cell)
    if isNull(cell) || isNull(utf8) { return .null }
    guard let first = utf8.first else { throw Fault(type) }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return try json(utf8, as: type) }
    if type == .any {
      if let type = addressTypes[index], AddressText.isAddress(utf8), let address = address(utf8, as: type) {
        return address
      }
      if isSheet { return textOfSheet(utf8) }
    }
    if type == .string, let typed = typedDay(utf8, index) { return .string(typed) }
    return try plainValue(of: utf8, index, as: type)
  }

  /// Parses a cell that is neither JSON nor null.
  private func plainValue(
    of cell: UnsafeBufferPointer<UInt8>,
    _ index: Int,
    as type: Column.ValueType
  ) throws(Fault) -> Value? {
    // The apostrophe may precede a number in another notation, `'-1,5`; in an untyped column, it distinguishes text from a
    // number.
    let isGuarded = text.neutralisesFormulas && type != .string && type != .any
    let utf8 = isGuarded ? CellForm.unguarded(cell) : cell
    if type == .integer, CellForm.lacksDigits(utf8) {
      throw Fault(expected: "all digits of a whole number: a spreadsheet may have rounded it")
    }
    if numbers.usesDecimalComma, let type = numberType(utf8, as: type) {
      let utf8 = Self.trimmed(utf8)
      if doubtsDecimalComma, numbers.isAmbiguous(utf8) {
        throw Fault(
          expected:
            "a number that is the same with a decimal comma, as the export wrote it, and with a decimal point: another program may have saved the file, so --decimal-comma or --no-decimal-comma has to say which it has"
        )
      }
      return try number(utf8, as: type)
    }
    do {
      return try text.value(of: utf8, isQuoted: true, as: type, parser: parser)
    } catch {
      return try typed(utf8, as: type, dateOrders[index] ?? dateOrder)
    }
  }

  /// Whether a text in an untyped column is a number with a decimal comma.
  package func isNumberWithComma(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    usesDecimalComma && numberType(utf8, as: .any) != nil
  }

  /// Returns the type of the number that a text may be in a column of a type; nil if it cannot be a number.
  ///
  /// With a decimal comma, an untyped number with a decimal point is not one.
  private func numberType(_ utf8: UnsafeBufferPointer<UInt8>, as type: Column.ValueType) -> Column.ValueType?
  {
    if type == .integer || type == .double { return type }
    guard type == .any, utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }) else {
      return nil
    }
    switch form(utf8) {
    case .integer: return .integer
    case .double, .exponent: return .double
    case .text, .boolean, .timestamp: return [.double, .exponent].contains(CellForm(utf8)) ? .double : nil
    }
  }

  private func json(_ utf8: UnsafeBufferPointer<UInt8>, as type: Column.ValueType) throws(Fault) -> Value? {
    // In tables made by people, a text may start with a bracket.
    if !readsForms, type == .string,
      utf8.first == UInt8(ascii: "[") || utf8.elementsEqual("{}".utf8) || rest(utf8) == nil
    {
      return .string(String(decoding: utf8, as: UTF8.self))
    }
    do throws(CellError) {
      return try text.value(of: utf8, isQuoted: true, as: type, parser: parser)
    } catch {
      // A text that only begins like JSON, such as [VIP] Ana.
      let isMeant = ["{\"", "[\"", "[{\""].contains { utf8.starts(with: $0.utf8) }
      if type == .string, !isMeant { return .string(String(decoding: utf8, as: UTF8.self)) }
      let once = error.repetition.map { ", with \($0) given once" } ?? ""
      throw Fault(type, ", or JSON as export writes it\(once)")
    }
  }

  /// Parses what people type into typed columns.
  private func typed(
    _ utf8: UnsafeBufferPointer<UInt8>,
    as type: Column.ValueType,
    _ order: DateOrder
  ) throws(Fault) -> Value? {
    switch type {
    case .boolean:
      if let truth = Self.boolean(utf8, words: Self.words) { return .boolean(truth) }
    case .timestamp: return try moment(utf8, order)
    case .integer, .double: return try number(utf8, as: type)
    case .reference, .geopoint, .bytes:
      if let value = address(utf8, as: type) { return value }
    default: break
    }
    throw Fault(type)
  }

  private func number(
    _ utf8: UnsafeBufferPointer<UInt8>,
    as type: Column.ValueType
  ) throws(Fault) -> Value? {
    if let plain = numbers.plain(utf8),
      let value = plain.withUnsafeBufferPointer({
        try? text.value(of: $0, isQuoted: false, as: type, parser: parser)
      })
    {
      return value
    }
    if type == .double, numbers.plain(utf8)?.withUnsafeBufferPointer(CellForm.isNumber) ?? false {
      throw Fault(expected: Self.unheldDigits)
    }
    let example = type == .integer ? "1.234" : "1.234,56"
    let comma = numbers.usesDecimalComma ? " with a decimal comma, such as \(example)" : ""
    throw Fault(type, comma + numbers.advice(utf8))
  }

  /// Parses a reference, a geo point or bytes; nil for any other text.
  private func address(_ utf8: UnsafeBufferPointer<UInt8>, as type: Column.ValueType) -> Value? {
    switch type {
    case .reference:
      guard let (path, named) = AddressText.reference(utf8), let database = named ?? database else {
        return nil
      }
      return .reference(database.name(of: path))
    case .geopoint: return AddressText.geoPoint(utf8).map { .geoPoint($0) }
    case .bytes: return Base64.decode(utf8).map { .bytes($0) }
    default: return nil
    }
  }

  /// Returns the form of a text for the inference of types.
  func form(_ utf8: UnsafeBufferPointer<UInt8>) -> CellForm {
    if numbers.areAsInJSON { return CellForm(utf8) }
    if let plain = numbers.plain(utf8) { return plain.withUnsafeBufferPointer { CellForm($0) } }
    let form = CellForm(utf8)
    return [.integer, .double, .exponent].contains(form) ? .text : form
  }

  /// Returns a number as JSON writes it, and any other text unchanged.
  func plain(_ utf8: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    (numbers.areAsInJSON ? nil : numbers.plain(utf8)) ?? Array(utf8)
  }

  private func moment(_ utf8: UnsafeBufferPointer<UInt8>, _ order: DateOrder) throws(Fault) -> Value {
    if let moment = Timestamp(rfc3339: utf8) { return .timestamp(moment) }
    guard let date = DateText(utf8, order) ?? DateText(compact: utf8) else {
      let other: DateOrder = order == .dayFirst ? .monthFirst : .dayFirst
      let isOther = DateText(utf8, other) != nil
      let advice =
        isOther
        ? "; --date-format \(other.rawValue) reads it, and all others so" : DateText.defect(of: utf8, order)
      let format = advice.isEmpty && order != .dayFirst ? "; dates are \(order.rawValue)" : advice
      throw Fault(.timestamp, format)
    }
    guard let moment = timeZone.moment(of: date) else {
      throw Fault(expected: "a local time that exists in \(timeZone.name)")
    }
    return .timestamp(moment)
  }

  /// Parses a sheet's text in an untyped column: as text, unless only a text can represent the value.
  private func textOfSheet(_ utf8: UnsafeBufferPointer<UInt8>) -> Value {
    let string = String(decoding: text.neutralisesFormulas ? CellForm.unguarded(utf8) : utf8, as: UTF8.self)
    switch CellForm(utf8) {
    case .text, .exponent, .boolean: return .string(string)
    case .integer:
      if let number = Int64(string), number.magnitude > UInt64(Self.largestExact) { return .integer(number) }
    case .double:
      if let number = Double(string), !SheetCells.isSpreadsheetNumber(number) {
        return .double(number.isNaN ? .nan : number)
      }
    case .timestamp:
      if let moment = Timestamp(rfc3339: utf8) { return .timestamp(moment) }
    }
    return .string(string)
  }

  /// Returns a text without surrounding spaces and tabs.
  static func trimmed(_ utf8: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
    var range = utf8.indices
    while let first = range.first, utf8[first] == 0x20 || utf8[first] == 0x09 { range.removeFirst() }
    while let last = range.last, utf8[last] == 0x20 || utf8[last] == 0x09 { range.removeLast() }
    return UnsafeBufferPointer(rebasing: utf8[range])
  }
}
