/// Writes filters in the language of `--where`, each time in another of the spellings that it allows.
struct ReferenceFilterWriter: Sendable {
  /// The start of a day in the time zone of date-only timestamps, in seconds since 1970.
  let startOfDay: @Sendable (ReferenceDay) -> Int64

  /// A random spelling of a filter, or nil if an operand has none.
  func text(_ filter: ReferenceFilter, using random: inout ReferenceRandom) -> String? {
    guard var tokens = tokens(filter, using: &random) else {
      return nil
    }
    if random.percent(1) {
      let depth = random.among(5...30)
      tokens = repeatElement(.mark("("), count: depth) + tokens + repeatElement(.mark(")"), count: depth)
    }
    return join(tokens, using: &random)
  }

  /// A piece of the text.
  ///
  /// Two words need white space between them; anywhere else it may be left out.
  private enum Token {
    case word(String)
    case mark(String)

    var text: String {
      switch self {
      case .word(let text), .mark(let text): text
      }
    }

    var isWord: Bool {
      if case .word = self { true } else { false }
    }
  }

  private var literals: ReferenceLiteralWriter {
    ReferenceLiteralWriter(startOfDay: startOfDay)
  }

  private func tokens(_ filter: ReferenceFilter, using random: inout ReferenceRandom) -> [Token]? {
    switch filter {
    case .and(let sides):
      return joined(sides, "and", using: &random)
    case .or(let sides):
      return joined(sides, "or", using: &random)
    case .test(let path, let test):
      return bracketed(self.test(path, test, using: &random), share: 8, using: &random)
    case .compare(let path, let comparison, let operand):
      var operands = [operand]
      if comparison.takesList, case .array(let values) = operand {
        operands = values
      }
      var words: [String] = []
      for operand in operands {
        guard let word = literals.text(operand, using: &random) else {
          return nil
        }
        words.append(word)
      }
      let field = field(path, using: &random)
      return bracketed(self.comparison(field, comparison, words, using: &random), share: 8, using: &random)
    case .name(let comparison, let paths):
      let words = paths.map { literals.name($0, using: &random) }
      let written = self.comparison("__name__", comparison, words, using: &random)
      return bracketed(written, share: 8, using: &random)
    }
  }

  /// The sides with a word between them.
  ///
  /// An OR in an AND needs brackets, an AND in an OR may have them.
  private func joined(
    _ sides: [ReferenceFilter],
    _ word: String,
    using random: inout ReferenceRandom
  ) -> [Token]? {
    var result: [Token] = []
    for (index, side) in sides.enumerated() {
      guard var written = tokens(side, using: &random) else {
        return nil
      }
      switch side {
      case .or: written = bracketed(written, share: 100, using: &random)
      case .and: written = bracketed(written, share: 50, using: &random)
      case .compare, .test, .name: break
      }
      result += (index == 0 ? [] : [.word(word)]) + written
    }
    return result
  }

  private func bracketed(_ tokens: [Token], share: Int, using random: inout ReferenceRandom) -> [Token] {
    guard random.percent(share) else {
      return tokens
    }
    return bracketed([.mark("(")] + tokens + [.mark(")")], share: 5, using: &random)
  }

  private func comparison(
    _ field: String,
    _ comparison: ReferenceOperator,
    _ operands: [String],
    using random: inout ReferenceRandom
  ) -> [Token] {
    let start: [Token] = [.word(field), sign(comparison, using: &random)]
    guard comparison.takesList else {
      return start + operands.map { .word($0) }
    }
    var list: [Token] = []
    for (index, operand) in operands.enumerated() {
      list += (index == 0 ? [] : [.mark(",")]) + [.word(operand)]
    }
    return start + [.mark("[")] + list + [.mark("]")]
  }

  private func sign(_ comparison: ReferenceOperator, using random: inout ReferenceRandom) -> Token {
    switch comparison {
    case .lessThan: .mark("<")
    case .lessThanOrEqual: .mark("<=")
    case .greaterThan: .mark(">")
    case .greaterThanOrEqual: .mark(">=")
    case .equal: .mark(random.percent(70) ? "==" : "=")
    case .notEqual: .mark("!=")
    case .arrayContains: .word("array-contains")
    case .in: .word("in")
    case .arrayContainsAny: .word("array-contains-any")
    case .notIn: .word("not-in")
    }
  }

  private func test(
    _ path: [[UInt8]],
    _ test: ReferenceTest,
    using random: inout ReferenceRandom
  ) -> [Token] {
    let field = field(path, using: &random)
    switch test {
    case .isNull where random.percent(50):
      return comparison(field, .equal, ["null"], using: &random)
    case .isNotNull where random.percent(50):
      return comparison(field, .notEqual, ["null"], using: &random)
    case .isNull: return [.word(field), .word("is-null")]
    case .isNotNull: return [.word(field), .word("is-not-null")]
    case .isNaN: return [.word(field), .word("is-nan")]
    case .isNotNaN: return [.word(field), .word("is-not-nan")]
    }
  }

  /// A field path.
  ///
  /// Names that need back-quotes have them, and now and then others too.
  private func field(_ path: [[UInt8]], using random: inout ReferenceRandom) -> String {
    if path == ReferenceFilter.field("__name__") {
      return "__name__"
    }
    return path.map { name -> String in
      let text = String(decoding: name, as: UTF8.self)
      if Self.isSimple(name) && !Self.words.contains(text) && !random.percent(6) {
        return text
      }
      var quoted = "`"
      for scalar in text.unicodeScalars {
        if scalar == "`" || scalar == "\\" {
          quoted.unicodeScalars.append("\\")
        }
        quoted.unicodeScalars.append(scalar)
      }
      return quoted + "`"
    }.joined(separator: ".")
  }

  /// Words of the grammar, which as names of fields could be misread.
  private static let words: Set<String> = ["and", "or", "in"]

  /// Whether a name is of ASCII letters, digits and `_`, and begins with none of the digits.
  private static func isSimple(_ name: [UInt8]) -> Bool {
    guard let first = name.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
      return false
    }
    return name.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
      default: false
      }
    }
  }

  private func join(_ tokens: [Token], using random: inout ReferenceRandom) -> String {
    let spaces = [" ", " ", " ", " ", "  ", "\t", "\n", " \n  "]
    let sparse = random.percent(40)
    var result = random.percent(5) ? random.pick(spaces) : ""
    var wasWord = false
    for (index, token) in tokens.enumerated() {
      if index > 0 {
        if wasWord && token.isWord {
          result += random.percent(80) ? " " : random.pick(spaces)
        } else if random.percent(sparse ? 15 : 65) {
          result += random.pick(spaces)
        }
      }
      result += token.text
      wasWord = token.isWord
    }
    return random.percent(5) ? result + random.pick(spaces) : result
  }
}
