import Schema

/// Converts the values of cells, as stored in a sheet's XML, to the texts and kinds of a ``CellRow``.
struct SheetValues {
  let styles: XLSXStyles
  let countsFrom1904: Bool
  /// What 16% is, if that is given.
  let percent: TableReading.Percent?

  /// Appends the text of a cell that does not refer to a shared text, and returns its kind.
  ///
  /// It returns nil for a value that does not match the cell's type, and for a number whose style is missing, as it may be
  /// a date.
  func append(
    _ value: ArraySlice<UInt8>,
    of cell: SheetHandler.Cell,
    to out: inout [UInt8]
  ) -> CellRow.Kind? {
    switch cell.type {
    case .shared: return nil
    case .inline, .formulaText:
      var text = Array(value)
      SheetText.unescape(&text)
      out.append(contentsOf: text)
      // A formula with an empty result looks like an empty cell.
      return text.isEmpty && cell.type == .formulaText ? .missing : .text
    case .boolean: return boolean(SheetText.trimmed(value), &out)
    case .error, .isoDate:
      let text = SheetText.trimmed(value)
      out.append(contentsOf: text)
      return cell.type == .error ? .error : text.isEmpty ? .missing : .date
    case .number: return number(SheetText.trimmed(value), styles[cell.style], &out)
    }
  }

  /// Whether a date has a format that exports never use, so that a person must have typed it.
  func isTypedDate(_ cell: SheetHandler.Cell) -> Bool {
    cell.type == .number && styles[cell.style] == .date
  }

  /// Whether a number is shown as a percentage.
  func isPercent(_ cell: SheetHandler.Cell) -> Bool {
    cell.type == .number && [.percent, .percentSign].contains(styles[cell.style])
  }

  /// Returns what is wrong with a cell that has no value.
  func fault(of cell: SheetHandler.Cell) -> String {
    if cell.type == .boolean { return "its boolean is invalid" }
    return styles[cell.style] == nil
      ? "its style is not in the workbook, so it may be a date" : "its number is invalid"
  }

  private func boolean(_ value: ArraySlice<UInt8>, _ out: inout [UInt8]) -> CellRow.Kind? {
    if value.isEmpty { return .missing }
    switch String(decoding: value, as: UTF8.self) {
    case "1", "true": return boolean(true, &out)
    case "0", "false": return boolean(false, &out)
    default: return nil
    }
  }

  private func boolean(_ truth: Bool, _ out: inout [UInt8]) -> CellRow.Kind {
    out.append(contentsOf: (truth ? "true" : "false").utf8)
    return .boolean
  }

  // MARK: Numbers

  private func number(
    _ digits: ArraySlice<UInt8>,
    _ form: XLSXStyles.Form?,
    _ out: inout [UInt8]
  ) -> CellRow.Kind? {
    if digits.isEmpty { return .missing }
    guard let form, let number = Self.number(digits) else { return nil }
    switch form {
    case .date, .exportedDate, .fineDate, .time: return date(number, form, &out)
    case .duration: return duration(number, &out)
    case .boolean where number == 0 || number == 1: return boolean(number == 1, &out)
    case .padded(let format):
      guard Self.isHeld(number, digits), let text = format.text(of: number) else { break }
      out.append(contentsOf: text.utf8)
      return .padded
    // Calculated from the digits, because 0.07 times 100 is not 7.
    case .percent where percent == .number:
      ShownText.append(Double("\(number)e2") ?? number * 100, to: &out)
      return .number
    case .percentSign where percent == .fraction:
      ShownText.append(Double("\(number)e-2") ?? number / 100, to: &out)
      return .number
    case .percentSign where percent == nil:
      ShownText.append(number, to: &out)
      out.append(UInt8(ascii: "%"))
      return .padded
    case .boolean, .percent, .percentSign, .number, .text, .double, .integer: break
    }
    // Digits that no double holds are kept, so that their loss is noticed in a column of doubles.
    if Self.isHeld(number, digits) { ShownText.append(number, to: &out) } else { out += digits }
    switch form {
    case .double: return .double
    case .integer: return .integer
    case .text: return .textNumber
    default: return .number
    }
  }

  private static func isHeld(_ number: Double, _ digits: ArraySlice<UInt8>) -> Bool {
    number.magnitude < .firstAmbiguousInteger || Double(keepingDigits: digits) != nil
  }

  /// Parses a finite decimal number.
  static func number(_ digits: ArraySlice<UInt8>) -> Double? {
    let isDecimal = digits.allSatisfy { byte in
      (0x30...0x39).contains(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "+") || byte | 0x20 == UInt8(ascii: "e")
    }
    guard isDecimal, let number = Double(String(decoding: digits, as: UTF8.self)), number.isFinite else {
      return nil
    }
    return number == 0 && CellForm.isNotZero(digits) ? nil : number
  }

  // MARK: Dates

  private func date(_ number: Double, _ form: XLSXStyles.Form, _ out: inout [UInt8]) -> CellRow.Kind {
    if form == .time, (0..<1).contains(number) {
      let microseconds = SheetDate.split(number, isFine: false).microseconds
      SheetDate.appendClock(microseconds, alwaysSeconds: false, &out)
      return .time
    }
    // A time format without a date shows hours if the number is a day or more; real dates are years away.
    if form == .time, number.magnitude < 366 { return duration(number, &out) }
    let isDate = SheetDate.append(
      number,
      isFine: form == .fineDate,
      countsFrom1904: countsFrom1904,
      to: &out
    )
    return isDate ? .date : impossible(number, &out)
  }

  private func duration(_ days: Double, _ out: inout [UInt8]) -> CellRow.Kind {
    guard let duration = SheetDuration(days: days) else { return impossible(days, &out) }
    duration.append(to: &out)
    return .duration
  }

  private func impossible(_ number: Double, _ out: inout [UInt8]) -> CellRow.Kind {
    if !countsFrom1904, number.rounded(.down) == Double(SheetDate.missingDay) {
      out.append(contentsOf: SheetDate.missingDate.utf8)
    } else {
      ShownText.append(number, to: &out)
    }
    return .impossibleDate
  }
}
