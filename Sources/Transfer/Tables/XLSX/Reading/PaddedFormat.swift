/// A number format that shows whole numbers as codes: it pads them with zeros, or puts digits before them, as `00000`,
/// `000-000`, `[<=99999]00000;00000-0000` or `"2026-"0` do.
///
/// A cell with such a format shows a code rather than an amount. Formats with decimals, thousands separators or percent
/// signs do not count.
struct PaddedFormat: Sendable, Equatable {
  fileprivate enum Piece: Sendable, Equatable {
    case digit(isPadded: Bool)
    case literal(Character)
  }

  /// The format of some numbers; it has no pieces if it consists of more than digits and text.
  fileprivate struct Section: Sendable, Equatable {
    var condition: Condition?
    var pieces: [Piece] = []
  }

  /// Those for positive numbers, negative ones and zero, or for numbers that meet their conditions and all others.
  private let sections: [Section]

  /// Parses a number format code; nil if none of its sections shows codes.
  init?(_ code: String) {
    var codes = Self.split(code)
    // The last one may be that of texts.
    if codes.count > 1, codes.last?.contains("@") ?? false { codes.removeLast() }
    sections = codes.prefix(3).map { Section($0) }
    guard sections.contains(where: \.isOfCodes) else { return nil }
  }

  /// The first number that may have lost digits.
  static let limit = 9_007_199_254_740_992.0

  /// Returns what a cell shows, or nil for a number that is not whole or not shown as a code.
  ///
  /// From ``limit`` on, it returns the digits of the number, as the cell does not show all of them.
  func text(of number: Double) -> String? {
    guard number.rounded() == number, let (section, hasSign) = section(for: number), section.isOfCodes else {
      return nil
    }
    if number.magnitude >= Self.limit { return number.description }
    let text = section.text(of: Int64(number.magnitude))
    return number < 0 && !hasSign ? "-\(text)" : text
  }

  /// Returns the section of a number, and whether it has its own sign of negative numbers; nil if there is none.
  private func section(for number: Double) -> (Section, hasSign: Bool)? {
    if sections.contains(where: { $0.condition != nil }) {
      let met = sections.first { $0.condition?.holds(for: number) ?? false }
      return (met ?? sections.first { $0.condition == nil }).map { ($0, false) }
    }
    let index = number > 0 ? 0 : number < 0 ? 1 : 2
    return sections.indices.contains(index) ? (sections[index], index == 1) : (sections[0], false)
  }
}

/// A condition such as `<=99999`.
private struct Condition: Equatable {
  let relation: Substring
  let limit: Double

  /// Parses the content of a bracket; nil for anything else.
  init?(_ bracket: Substring) {
    relation = bracket.prefix { "<>=".contains($0) }
    guard !relation.isEmpty, let limit = Double(bracket.dropFirst(relation.count)) else { return nil }
    self.limit = limit
  }

  func holds(for number: Double) -> Bool {
    switch relation {
    case "<": number < limit
    case "<=": number <= limit
    case ">": number > limit
    case ">=": number >= limit
    case "<>": number != limit
    default: number == limit
    }
  }
}

extension PaddedFormat.Section {
  /// Whether it pads, or has digits of its own before those of the number.
  fileprivate var isOfCodes: Bool {
    var (zeros, hasDigit) = (0, false)
    for piece in pieces {
      switch piece {
      case .literal(let character): hasDigit = hasDigit || ("0"..."9").contains(character)
      case .digit(let isPadded):
        zeros += isPadded ? 1 : 0
        if zeros > 1 || hasDigit { return true }
      }
    }
    return false
  }

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
  /// Splits a code at its semicolons, except those in quotes or behind a backslash.
  private static func split(_ code: String) -> [String] {
    var (sections, isQuoted, isEscaped) = ([""], false, false)
    for character in code {
      if character == ";", !isQuoted, !isEscaped {
        sections.append("")
        continue
      }
      sections[sections.count - 1].append(character)
      if character == "\"", !isEscaped { isQuoted.toggle() }
      isEscaped = character == "\\" && !isEscaped && !isQuoted
    }
    return sections
  }
}

extension PaddedFormat.Section {
  /// The characters that represent themselves without quotes.
  private static let plain: Set<Character> = [
    " ", "-", "+", "(", ")", "$", ":", "'", "!", "^", "&", "~", "{", "}", "<", ">", "=",
  ]

  fileprivate init(_ code: String) {
    var rest = code[...]
    while let character = rest.popFirst() {
      switch character {
      // A question mark shows no more than a gap for a digit that is missing.
      case "0", "#", "?": pieces.append(.digit(isPadded: character == "0"))
      case "\"":
        let text = rest.prefix { $0 != "\"" }
        rest = rest.dropFirst(text.count + 1)
        pieces += text.map { .literal($0) }
      case "\\": if let next = rest.popFirst() { pieces.append(.literal(next)) }
      case "_", "*": _ = rest.popFirst()
      case "[":
        let text = rest.prefix { $0 != "]" }
        rest = rest.dropFirst(text.count + 1)
        if text.hasPrefix("$") {
          pieces += text.dropFirst().prefix { $0 != "-" }.map { .literal($0) }
        } else if let found = Condition(text) {
          condition = found
        }
      case _ where Self.plain.contains(character) || !character.isASCII: pieces.append(.literal(character))
      default:
        pieces = []
        return
      }
    }
  }
}
