/// What a spreadsheet shows a number as, by the code of its number format.
package enum NumberFormat: Sendable, Equatable {
  case number, percent, date, time, duration
  /// A number with a percent sign that is text behind it: 16 is shown as `16%`.
  case percentSign

  /// Parses a code such as `#,##0.00` or `[h]:mm`.
  ///
  /// Text in quotes or brackets, escaped characters, and everything after the first semicolon are ignored, except for
  /// the bracket of elapsed hours, minutes or seconds, and a percent sign that is all the text behind the digits.
  package init(_ code: String) {
    var hasDay = false
    var hasClock = false
    var hasMonth = false
    var isElapsed = false
    var isPercent = false
    // The text behind the last digit.
    var unit = ""
    var rest = code.lowercased() == "general" ? "" : code[...]
    while let character = rest.popFirst(), character != ";" {
      switch character {
      case "\"":
        let text = rest.prefix { $0 != "\"" }
        rest = rest.dropFirst(text.count + 1)
        unit += text
      case "[":
        let text = rest.prefix { $0 != "]" }
        rest = rest.dropFirst(text.count + 1)
        isElapsed = isElapsed || ["h", "hh", "m", "mm", "s", "ss"].contains(text.lowercased())
      case "\\": unit += rest.popFirst().map { String($0) } ?? ""
      case "_", "*": _ = rest.popFirst()
      case "0", "#", "?": unit = ""
      case "y", "Y", "d", "D": hasDay = true
      case "m", "M": hasMonth = true
      case "h", "H", "s", "S": hasClock = true
      case "%": isPercent = true
      default: break
      }
    }
    let isUnit = unit.filter { $0 != " " } == "%"
    self =
      hasDay
      ? .date
      : isElapsed
        ? .duration
        : hasClock ? .time : hasMonth ? .date : isPercent ? .percent : isUnit ? .percentSign : .number
  }
}
