/// What a spreadsheet shows a number as, by the code of its number format.
package enum NumberFormat: Sendable, Equatable {
  case number, percent, date, time, duration

  /// Parses a code such as `#,##0.00` or `[h]:mm`.
  ///
  /// Text in quotes or brackets, escaped characters, and everything after the first semicolon are ignored, except for
  /// the bracket of elapsed hours, minutes or seconds.
  package init(_ code: String) {
    var hasDay = false
    var hasClock = false
    var hasMonth = false
    var isElapsed = false
    var isPercent = false
    var rest = code.lowercased() == "general" ? "" : code[...]
    while let character = rest.popFirst(), character != ";" {
      switch character {
      case "\"": rest = rest.drop { $0 != "\"" }.dropFirst()
      case "[":
        let text = rest.prefix { $0 != "]" }
        rest = rest.dropFirst(text.count + 1)
        isElapsed = isElapsed || ["h", "hh", "m", "mm", "s", "ss"].contains(text.lowercased())
      case "\\", "_", "*": _ = rest.popFirst()
      case "y", "Y", "d", "D": hasDay = true
      case "m", "M": hasMonth = true
      case "h", "H", "s", "S": hasClock = true
      case "%": isPercent = true
      default: break
      }
    }
    self =
      hasDay
      ? .date : isElapsed ? .duration : hasClock ? .time : hasMonth ? .date : isPercent ? .percent : .number
  }
}
