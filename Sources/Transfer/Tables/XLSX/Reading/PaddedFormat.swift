/// A number format that pads whole numbers with zeros, such as `00000`, `000-000` or `[<=99999]00000;00000-0000`.
///
/// A cell with such a format shows a code rather than an amount. Formats with decimals, thousands separators, percent signs
/// or digits in their texts do not count.
struct PaddedFormat: Sendable, Equatable {
  fileprivate enum Piece: Sendable, Equatable {
    case digit(isPadded: Bool)
    case literal(Character)
  }

  /// The format of the numbers up to a limit.
  fileprivate struct Section: Sendable, Equatable {
    var limit: Double?
    var pieces: [Piece] = []

    var pads: Bool { pieces.count { $0 == .digit(isPadded: true) } > 1 }
  }

  private var sections: [Section] = []
  /// The section of negative numbers, if there is one; it has no pieces if it consists of more than digits and text.
  private var negative: Section?
  /// Whether zero has its own section.
  private let hasZero: Bool

  /// Parses a number format code; nil if it does not pad, or consists of more than digits and text.
  init?(_ code: String) {
    var rest = code[...]
    repeat {
      guard let section = Self.section(&rest) else { return nil }
      sections.append(section)
    } while sections.last?.limit != nil && !rest.isEmpty
    // The third section, after that of negative numbers.
    hasZero = sections.count == 1 && rest.contains(";")
    if sections.count == 1, !rest.isEmpty, rest != "@" { negative = Self.section(&rest) ?? Section() }
    guard sections.contains(where: \.pads) else { return nil }
  }

  /// The first number that may have lost digits.
  static let limit = 9_007_199_254_740_992.0

  /// Returns what a cell shows, or nil for a number that is not whole or not padded.
  ///
  /// From ``limit`` on, it returns the digits of the number, as the cell does not show all of them.
  func text(of number: Double) -> String? {
    let own = number < 0 ? negative : nil
    guard number.rounded() == number, number != 0 || !hasZero,
      let section = own ?? sections.first(where: { number <= $0.limit ?? .infinity }), section.pads
    else { return nil }
    if number.magnitude >= Self.limit { return number.description }
    let text = section.text(of: Int64(number.magnitude))
    return number < 0 && own == nil ? "-\(text)" : text
  }
}

extension PaddedFormat.Section {
  fileprivate func text(of number: Int64) -> String {
    var digits = Array(number == 0 ? "" : String(number))
    var places = pieces.count { if case .digit = $0 { true } else { false } }
    var text = ""
    var isPadded = false
    for piece in pieces {
      switch piece {
      case .literal(let character): text.append(character)
      case .digit(let pads):
        isPadded = isPadded || pads
        // The first place takes all digits in excess of the number of places.
        let taken = max(0, digits.count - places + 1)
        if taken > 0 { text += String(digits[..<taken]) } else if isPadded { text += "0" }
        digits.removeFirst(taken)
        places -= 1
      }
    }
    return text
  }
}

// MARK: Codes

extension PaddedFormat {
  /// The characters that represent themselves without quotes.
  private static let plain: Set<Character> = [" ", "-", "+", "(", ")", "$", ":", "'"]

  /// Parses up to the next semicolon; nil for anything but plain padding.
  private static func section(_ rest: inout Substring) -> Section? {
    var section = Section()
    while let character = rest.popFirst(), character != ";" {
      switch character {
      case "0", "#": section.pieces.append(.digit(isPadded: character == "0"))
      case "\"":
        let text = rest.prefix { $0 != "\"" }
        rest = rest.dropFirst(text.count + 1)
        section.pieces += text.map { .literal($0) }
      case "\\": if let next = rest.popFirst() { section.pieces.append(.literal(next)) }
      case "_", "*": _ = rest.popFirst()
      case "[":
        let text = rest.prefix { $0 != "]" }
        rest = rest.dropFirst(text.count + 1)
        guard read(text, into: &section) else { return nil }
      case _ where plain.contains(character) || !character.isASCII: section.pieces.append(.literal(character))
      default: return nil
      }
    }
    let hasDigits = section.pieces.contains {
      if case .literal(let text) = $0 { text.isNumber } else { false }
    }
    return hasDigits ? nil : section
  }

  /// Parses a condition, a currency or a color; returns false for a condition other than an upper limit.
  private static func read(_ bracket: Substring, into section: inout Section) -> Bool {
    if bracket.hasPrefix("$") {
      section.pieces += bracket.dropFirst().prefix { $0 != "-" }.map { .literal($0) }
    } else if bracket.hasPrefix("<"), let limit = Double(bracket.drop { $0 == "<" || $0 == "=" }) {
      section.limit = bracket.hasPrefix("<=") ? limit : limit.nextDown
    } else if bracket.hasPrefix("<") || bracket.hasPrefix(">") || bracket.hasPrefix("=") {
      return false
    }
    return true
  }
}
