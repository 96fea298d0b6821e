/// A length of time in a sheet: a number of days in a format such as `[h]:mm:ss`, read to the millisecond.
struct SheetDuration: Sendable, Equatable {
  private var milliseconds: Int

  /// - Returns: Nil for more than a billion days.
  init?(days: Double) {
    guard days.magnitude < 1e9 else { return nil }
    milliseconds = Int((days * 86_400_000).rounded())
  }

  /// Parses the output of ``append(to:)``.
  init?(_ text: String) {
    let parts = text.drop { $0 == "-" }.split(separator: ":")
    guard parts.count == 3, let hours = Int(parts[0]), let minutes = Int(parts[1]),
      let seconds = Double(parts[2])
    else { return nil }
    let magnitude = (hours * 60 + minutes) * 60_000 + Int((seconds * 1000).rounded())
    milliseconds = text.hasPrefix("-") ? -magnitude : magnitude
  }

  var seconds: Double { Double(milliseconds) / 1000 }

  /// Appends hours, minutes and seconds, such as `255:10:10`, and any milliseconds.
  func append(to out: inout [UInt8]) {
    let total = Int(milliseconds.magnitude)
    if milliseconds < 0 { out.append(UInt8(ascii: "-")) }
    CellForm.append(Int64(total / 3_600_000), to: &out)
    out.append(UInt8(ascii: ":"))
    SheetDate.appendDigits(total / 60_000 % 60, 2, &out)
    out.append(UInt8(ascii: ":"))
    SheetDate.appendDigits(total / 1000 % 60, 2, &out)
    guard total % 1000 > 0 else { return }
    out.append(UInt8(ascii: "."))
    SheetDate.appendDigits(total % 1000, 3, &out)
  }
}
