package import Schema

/// Infers the type of a column from all of its values.
package struct TypeInference: Sendable {
  /// What a cell looks like.
  private enum Form: Int, CaseIterable {
    case text, jsonObject
    case integer, double
    /// Numbers with an exponent; `1E5` may be a code.
    case scientific, exponent
    case boolean, array
    /// Dates by the position of the day: certain, ambiguous, day first, month first.
    case date, openDate, dayFirst, monthFirst
    /// Values in REST JSON, and texts that can be read as such.
    case reference, referenceText, geoPoint, geoPointText, bytes
  }

  /// The number of cells of the same form, and the first of them.
  private struct Tally {
    var count = 0
    var rows: [Int] = []
    var first = ""
  }

  /// The maximum number of rows that a guess lists.
  package static let maximumRows = 10
  /// Larger numbers are IDs rather than amounts, and spreadsheets round them.
  private static let largestInteger: UInt64 = 1 << 53

  /// The order of dates, if given.
  private let dateOrder: DateOrder?
  /// Whether a cell in REST JSON is of a type other than reference and geo point.
  private var hasOtherTypes = false
  /// For a table written by export: the times that stay text, and the numbers.
  private(set) var (plainTimes, plainNumbers, plainIntegers) = (0, 0, 0)
  /// The first text, and whether options would read all texts as numbers so far; nil before the first text.
  private var numberText: (first: [UInt8], isOnly: Bool)?
  /// Whether all texts are words for true and false; nil before the first.
  private var areWords: Bool?
  /// Whether all texts are dates with a two-digit year; nil before the first.
  private var areShortDates: Bool?
  /// Whether a whole number has a sign between thousands.
  private var hasGroups = false
  /// Whether a number has a point or decimal comma that cannot separate thousands, and so must precede decimals.
  private var hasDecimals = false
  /// Whether a date has no zone, and is therefore read in that of the table.
  private var hasLocalTimes = false
  /// The dates of a sheet.
  private var days = SheetDays()
  private var tallies = [Tally](repeating: Tally(), count: Form.allCases.count)

  package init(dateOrder: DateOrder?) {
    self.dateOrder = dateOrder
  }

  // MARK: Looking at cells

  package mutating func look(at row: CellRow, _ index: Int, _ reading: CellValues) {
    guard let form = form(of: row, index, reading) else { return }
    // 70,5 looks like a geo point, too.
    if form == .text || form == .geoPointText { row.withUTF8(of: index) { noteText($0, reading) } }
    if form == .integer, !hasGroups, !reading.isSheet {
      hasGroups = row.withUTF8(of: index) { $0.contains(reading.numbers.signs.group) }
    }
    if form == .double, !hasDecimals {
      hasDecimals = row.withUTF8(of: index) { reading.numbers.mayBeGrouped(CellValues.trimmed($0)) == false }
    }
    if Self.dates.contains(form), !hasLocalTimes {
      hasLocalTimes = row.kind(index) == .date || row.withUTF8(of: index, Self.isLocal)
    }
    if row.kind(index) == .date { row.withUTF8(of: index) { days.take($0) } }
    tallies[form.rawValue].count += 1
    if tallies[form.rawValue].count > Self.maximumRows { return }
    if tallies[form.rawValue].rows.isEmpty { tallies[form.rawValue].first = row[index] }
    tallies[form.rawValue].rows.append(row.row)
  }

  /// The number of dates of a sheet whose day and month may be swapped.
  private var swappedDates: Int {
    let hasTexts = [Form.dayFirst, .monthFirst].contains { tallies[$0.rawValue].count > 0 }
    return hasTexts && tallies[Form.openDate.rawValue].count == 0 ? days.count : 0
  }

  private static let dates: [Form] = [.date, .openDate, .dayFirst, .monthFirst]

  /// Whether a date has no zone.
  private static func isLocal(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let text = CellValues.trimmed(text)
    if CellForm(text) == .timestamp { return false }
    return (DateText(text) ?? DateText(text, .monthFirst))?.offset == nil
  }

  private mutating func noteText(_ text: UnsafeBufferPointer<UInt8>, _ reading: CellValues) {
    if areWords != false {
      areWords = CellValues.boolean(CellValues.trimmed(text), words: CellValues.words) != nil
    }
    if areShortDates != false { areShortDates = DateText.lacksCentury(CellValues.trimmed(text)) }
    if numberText?.isOnly == false { return }
    let bytes = Array(CellValues.trimmed(text))
    numberText = (numberText?.first ?? bytes, reading.numbers.advice(bytes) != nil)
  }

  /// Looks at the cells in REST JSON, which suffice for ``addressType``, and counts times and numbers.
  package mutating func lookForAddresses(in row: CellRow, _ index: Int, _ reading: CellValues) {
    if row.withUTF8(of: index, { $0.first == UInt8(ascii: "{") }) { return look(at: row, index, reading) }
    row.withUTF8(of: index) { text in
      // Plain cells of an export always have a time; in many databases, a day alone is text.
      if text.count >= 19, text[10] == 0x20, DateText(text) != nil { plainTimes += 1 }
      let form = CellForm(text)
      if form == .integer || form == .double { plainNumbers += 1 }
      if form == .integer { plainIntegers += 1 }
    }
  }

  /// Returns the form of a cell; nil if it is empty or null, or does not suggest a type.
  private mutating func form(of row: CellRow, _ index: Int, _ reading: CellValues) -> Form? {
    switch row.kind(index) {
    case .missing, .error, .formula, .impossibleDate: nil
    case .boolean: .boolean
    case .date: .date
    case .time, .duration, .padded: .text
    case .number, .textNumber, .double, .integer: Self.form(ofNumber: row.number(index) ?? .nan)
    case .bare, .text:
      row.withUTF8(of: index) {
        form(of: $0, isSheetText: row.kind(index) == .text && reading.isSheet, reading)
      }
    }
  }

  /// Returns the form of a number of a sheet; a whole number too large to be exact is refused as text.
  private static func form(ofNumber number: Double) -> Form {
    if number.rounded() != number { return .double }
    return number.magnitude < .firstAmbiguousInteger ? .integer : .text
  }

  private mutating func form(
    of cell: UnsafeBufferPointer<UInt8>,
    isSheetText: Bool,
    _ reading: CellValues
  ) -> Form? {
    if cell.isEmpty || reading.isNull(cell) || reading.isError(cell) { return nil }
    let text = CellValues.trimmed(cell)
    guard let first = text.first else { return .text }
    if reading.isNull(text) { return nil }
    if first == UInt8(ascii: "{") { return json(text, reading) }
    if first == UInt8(ascii: "[") { return reading.isArray(text) ? .array : .text }
    if let date = date(text) { return date }
    // A number stored as text in a sheet is so on purpose.
    let scalar = isSheetText ? .text : scalar(text, reading)
    if scalar != .text { return scalar }
    return AddressText.isReference(text)
      ? .referenceText : AddressText.isGeoPoint(text) ? .geoPointText : .text
  }

  private mutating func json(_ cell: UnsafeBufferPointer<UInt8>, _ reading: CellValues) -> Form? {
    switch reading.rest(cell) {
    case nil: return .jsonObject
    case .reference?: return .reference
    case .geoPoint?: return .geoPoint
    case .bytes?: return .bytes
    default:
      hasOtherTypes = true
      return nil
    }
  }

  private func date(_ text: UnsafeBufferPointer<UInt8>) -> Form? {
    if CellForm(text) == .timestamp { return .date }
    if let dateOrder { return DateText(text, dateOrder) == nil ? nil : .date }
    let dayFirst = DateText(text)
    if let dayFirst, !dayFirst.endsInYear { return .date }
    switch (dayFirst != nil, DateText(text, .monthFirst) != nil) {
    case (true, true): return .openDate
    case (true, false): return .dayFirst
    case (false, true): return .monthFirst
    case (false, false): return nil
    }
  }

  private func scalar(_ text: UnsafeBufferPointer<UInt8>, _ reading: CellValues) -> Form {
    switch reading.form(text) {
    case .integer:
      let digits = String(decoding: reading.plain(text), as: UTF8.self)
      return (Int64(digits) ?? .max).magnitude <= Self.largestInteger ? .integer : .text
    case .double:
      return reading.plain(text).contains { $0 | 0x20 == UInt8(ascii: "e") } ? .scientific : .double
    case .exponent: return .exponent
    case .boolean: return .boolean
    case .timestamp, .text: return .text
    }
  }

  // MARK: The guess

  /// The type of all cells in REST JSON if they are all references or all geo points; texts beside them are then read as
  /// that type, too.
  package var addressType: Column.ValueType? {
    let found = [Form.reference, .geoPoint, .bytes].filter { tallies[$0.rawValue].count > 0 }
    if hasOtherTypes || found.count != 1 { return nil }
    return found[0] == .bytes ? nil : type(of: found[0])
  }

  /// Returns the type that fits all values, or text if there is none.
  package func guess(column: Int, _ reading: CellValues) -> ColumnGuess {
    var guess = guess(column: column)
    guess.swappedDates = swappedDates
    let hasPoints = tallies[Form.double.rawValue].count > 0 && !reading.isSheet
    guess.hasPoints = hasPoints && hasDecimals
    if guess.type == .string, let numberText, numberText.isOnly {
      guess.advice = reading.numbers.advice(numberText.first, besidePoints: guess.hasPoints)
    }
    let (texts, booleans) = (tallies[Form.text.rawValue].count, tallies[Form.boolean.rawValue].count)
    guess.isOfWords = guess.type == .string && areWords == true && texts + booleans == guess.cells
    if guess.type == .string, areShortDates == true {
      guess.note = "its dates have years of two digits, whose century is not known: write them with four"
    }
    if guess.type == .integer, hasGroups { guess.note = reading.numbers.groupsRemark }
    if guess.type == .timestamp, hasLocalTimes {
      guess.note = "read in \(reading.timeZone.name) (--time-zone)"
    }
    // With one sign between thousands, the other is the decimal separator.
    if guess.type == .double, hasPoints, !hasDecimals, !hasGroups {
      guess.note = reading.numbers.groupingRemark
    }
    return guess
  }

  private func guess(column: Int) -> ColumnGuess {
    let classes = classes
    let cells = tallies.reduce(0) { $0 + $1.count }
    let leading = classes.filter { $0.type != .string }.max { $0.tally.count < $1.tally.count }
    var guess = ColumnGuess(column: column, cells: cells)
    guard let leading, leading.tally.count > 0 else {
      guess.type = cells == 0 ? .any : .string
      guess.most = guess.type
      guess.agreeing = cells
      guess.note = note(isText: true)
      return guess
    }
    let isUnanimous = leading.tally.count == cells
    guess.type = isUnanimous ? leading.type : .string
    guess.dateOrder = isUnanimous && leading.type == .timestamp ? leadingOrder : nil
    guess.stops = !isUnanimous && leading.tally.count * 10 > cells * 9
    let texts = classes.first { $0.type == .string && $0.tally.count > leading.tally.count }
    let most = texts ?? leading
    guess.most = most.type
    guess.agreeing = most.tally.count
    for other in classes where other.type != most.type { guess.add(other.tally.rows, other.tally.first) }
    if let texts, texts.tally.count <= Self.maximumRows { guess.textRows = texts.tally.rows }
    guess.note = note(isText: guess.type == .string)
    return guess
  }

  /// The types that the cells suggest, each once, in any order.
  private var classes: [(type: Column.ValueType, tally: Tally)] {
    Column.ValueType.allCases.map { type in
      let tallied = Form.allCases.filter { self.type(of: $0) == type }.map { tallies[$0.rawValue] }
      var all = Tally()
      for tally in tallied where tally.count > 0 {
        if all.count == 0 || tally.rows[0] < all.rows[0] { all.first = tally.first }
        all.count += tally.count
        all.rows = Array((all.rows + tally.rows).sorted().prefix(Self.maximumRows))
      }
      return (type, all)
    }
  }

  /// Returns the type for a form, given all other cells.
  private func type(of form: Form) -> Column.ValueType {
    func count(_ form: Form) -> Int { tallies[form.rawValue].count }
    switch form {
    case .text, .jsonObject: return .string
    case .integer, .double, .scientific: return numberType
    case .exponent: return areAllExponents ? numberType : .string
    case .boolean: return .boolean
    case .array: return .array
    case .date: return .timestamp
    case .openDate: return leadingOrder == nil ? .string : .timestamp
    case .dayFirst: return leadingOrder == .dayFirst ? .timestamp : .string
    case .monthFirst: return leadingOrder == .monthFirst ? .timestamp : .string
    case .reference: return .reference
    case .referenceText: return count(.reference) > 0 ? .reference : .string
    case .geoPoint: return .geopoint
    case .geoPointText: return count(.geoPoint) > 0 ? .geopoint : .string
    case .bytes: return .bytes
    }
  }

  private var numberType: Column.ValueType {
    let others: [Form] = [.double, .scientific, .exponent]
    return others.contains { tallies[$0.rawValue].count > 0 && ($0 != .exponent || areAllExponents) }
      ? .double : .integer
  }

  private var areAllExponents: Bool {
    Form.allCases.allSatisfy { $0 == .exponent || $0 == .scientific || tallies[$0.rawValue].count == 0 }
  }

  /// The order that most dates of the column show; nil if none shows any.
  private var leadingOrder: DateOrder? {
    let (days, months) = (tallies[Form.dayFirst.rawValue].count, tallies[Form.monthFirst.rawValue].count)
    return days == 0 && months == 0 ? nil : days >= months ? .dayFirst : .monthFirst
  }

  /// Returns what the user should know about a column that became text.
  private func note(isText: Bool) -> String? {
    if !isText { return nil }
    if tallies[Form.openDate.rawValue].count > 0, leadingOrder == nil {
      return "no cell shows which is the day of its dates (--date-format dd/MM/yyyy or MM/dd/yyyy)"
    }
    return tallies[Form.jsonObject.rawValue].count > 0 ? "JSON objects stay text" : nil
  }
}
