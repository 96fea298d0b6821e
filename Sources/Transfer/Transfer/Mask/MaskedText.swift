import Files
import Schema

/// Masks texts, bytes, numbers and times under a key.
///
/// The result depends only on the text and its purpose, so that the same person is the same everywhere.
struct MaskedText: Sendable {
  let key: MaskKey

  // MARK: IDs

  /// Returns an ID of the same form: a UUID, or letters and digits.
  func pseudonym(_ text: String) -> String {
    if text.isEmpty { return text }
    let bytes = key.bytes("id", text.utf8)
    if FieldFormat.uuid.matches(text) {
      return uuid(bytes, isUpper: text.utf8.contains { (0x41...0x46).contains($0) })
    }
    return letters(bytes, count: text.utf8.count == 28 ? 28 : 20)
  }

  /// Does the same as ``pseudonym(_:)``, except that some texts are kept, and so are some prefixes.
  func pseudonym(_ text: String, keeping: [String], prefixes: [String]) -> String {
    if keeping.contains(where: { $0.isIdentical(to: text) }) { return text }
    guard let prefix = prefixes.first(where: { text.utf8.starts(with: $0.utf8) }) else {
      return pseudonym(text)
    }
    return prefix + pseudonym(String(decoding: text.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
  }

  /// A UUID of version 4.
  private func uuid(_ random: [UInt8], isUpper: Bool) -> String {
    var bytes = Array(random.prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    var text = Hexadecimal.digits(of: bytes)
    for index in [20, 16, 12, 8] { text.insert(UInt8(ascii: "-"), at: index) }
    let lower = String(decoding: text, as: UTF8.self)
    return isUpper ? lower.uppercased() : lower
  }

  private func letters(_ bytes: [UInt8], count: Int) -> String {
    let letters = DerivedID.letters
    return String(decoding: bytes.prefix(count).map { letters[Int($0) % letters.count] }, as: UTF8.self)
  }

  func hash(_ bytes: some Sequence<UInt8>) -> String {
    Hexadecimal.text(of: key.bytes("hash", bytes))
  }

  // MARK: Formats

  /// Returns an address in a domain, by default one in which nobody can have an address; other texts do not become
  /// addresses.
  ///
  /// Case and surrounding white space do not identify a person. The white space is kept, so that a defect of an address is
  /// also one of the masked address, and a corrected address fits its index.
  func email(_ text: String, of domain: String) -> String {
    let isAround = { PlainText.isWhiteSpace($0) || $0 == "\u{200B}" }
    let email = PlainText.trimmed(text.lowercased(), where: isAround)
    let scalars = text.unicodeScalars
    if email.isEmpty { return text }
    let before = scalars.prefix(while: isAround)
    let after = scalars.suffix(scalars.reversed().prefix(while: isAround).count)
    return String(before) + address(of: email, "u", domain) + String(after)
  }

  /// Does the same as ``email(_:of:)`` for an ID, which is compared exactly, so that one with capitals is masked as another
  /// one.
  func emailID(_ id: String, of domain: String) -> String {
    if id.isEmpty { return id }
    return address(of: id, id.lowercased().isIdentical(to: id) ? "u" : "U", domain)
  }

  private func address(of email: String, _ first: String, _ domain: String) -> String {
    let name = first + Hexadecimal.text(of: key.bytes("email", email.utf8).prefix(8))
    return FieldFormat.email.matches(email) ? "\(name)@\(domain)" : name
  }

  /// Whether a text has the form of addresses made by ``email(_:of:)``.
  static func isAddress(_ text: String, of domain: String) -> Bool {
    let end = "@\(domain)"
    let name = text.utf8.dropLast(end.utf8.count)
    guard text.hasSuffix(end), name.count == 17, let first = name.first, "uU".utf8.contains(first) else {
      return false
    }
    return name.dropFirst().allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
  }

  /// The prefix of masked URLs.
  static let urlBase = "https://example.test/"

  func url(_ text: String) -> String {
    text.isEmpty ? text : "\(Self.urlBase)\(letters(key.bytes("url", text.utf8), count: 20))"
  }

  /// Returns a phone number with the same country and form.
  ///
  /// It depends on the digits after the country code, at most the last ten, so that a number is the same with and without
  /// the country code. Numbers that are too long for a phone are masked from their first digit.
  func digits(_ text: String) -> String {
    let kept = PlainText.asciiDigits(text)
    let digits = kept.filter(\.isASCIIDigit)
    let code = PhoneCountry.digitCount(of: kept)
    let isLong = code == 0 && digits.count > PhoneCountry.lengths.upperBound
    let count = isLong ? digits.count : min(10, digits.count - code)
    var masked = (digits.dropLast(count) + permuted(Array(digits.suffix(count)))).makeIterator()
    return String(decoding: kept.map { $0.isASCIIDigit ? masked.next() ?? $0 : $0 }, as: UTF8.self)
  }

  /// Permutes digits so that those without a country code get none, and never meet one that has it.
  private func permuted(_ digits: [UInt8]) -> [UInt8] {
    let hasCode = PhoneCountry.digitCount(of: digits) > 0
    return permuted(digits) { (PhoneCountry.digitCount(of: $0) > 0) == hasCode ? $0 : nil }
  }

  // MARK: Words

  /// Returns a name with the same number of words, each determined by the word that it replaces; particles are kept.
  func name(_ text: String) -> String {
    var words: [String] = []
    for word in Self.words(of: text) {
      let isParticle = MaskWords.particles.contains { $0.isIdentical(to: word) }
      words.append(isParticle ? word : self.word(word, "name", MaskWords.names))
    }
    return words.joined(separator: " ")
  }

  /// Returns the same number of meaningless words, at most 40.
  func lorem(_ text: String) -> String {
    var words: [String] = []
    for (index, word) in Self.words(of: text).prefix(40).enumerated() {
      words.append(self.word("\(index) \(word)", "text", MaskWords.lorem))
    }
    return words.joined(separator: " ")
  }

  private static func words(of text: String) -> [String] {
    PlainText.tidied(text).utf8.split(separator: UInt8(ascii: " ")).map { String($0) ?? "" }
  }

  /// Returns a word of a list that differs from the one that it replaces.
  private func word(_ word: String, _ purpose: String, _ list: [String]) -> String {
    let word = word.lowercased()
    let bytes = key.bytes(purpose, word.utf8)
    let index = (Int(bytes[0]) << 8 | Int(bytes[1])) % list.count
    let found = list[index]
    // In the words of the lists, lower case takes as many bytes as upper case.
    let isSame = found.utf8.count == word.utf8.count && found.lowercased().isIdentical(to: word)
    return isSame ? list[(index + 1) % list.count] : found
  }

  // MARK: Numbers and times

  /// Returns an integer with the same sign and number of digits, masked as by ``digits(_:)``; distinct ones stay distinct.
  func number(_ value: Int64) -> Int64 {
    let sign = value < 0 ? "-" : ""
    return permuted(Array(String(value.magnitude).utf8)) { digits in
      let text = sign + String(decoding: digits, as: UTF8.self)
      return Int64(text).flatMap { String($0).isIdentical(to: text) ? $0 : nil }
    }
  }

  /// Returns a double with other digits, and a whole one for a whole one; distinct ones stay distinct.
  ///
  /// NaN and the infinities stay what they are.
  func number(_ value: Double) -> Double {
    if let whole = Int64(exactly: value) { return Double(number(whole)) }
    if !value.isFinite { return value }
    // As the shortest text, such as -0.0625 or 1.25e+30, of which the sign, the point and the exponent stay.
    let text = Array(value.description.utf8)
    let isSignificant = { (byte: UInt8) in byte.isASCIIDigit && byte != UInt8(ascii: "0") }
    let end = text.firstIndex(of: UInt8(ascii: "e")) ?? text.endIndex
    guard let start = text[..<end].firstIndex(where: isSignificant) else { return value }
    return permuted(text[start..<end].filter(\.isASCIIDigit)) { digits in
      // With a zero in front it would have the form of numbers of fewer digits.
      if digits.first == UInt8(ascii: "0") { return nil }
      var digits = digits.makeIterator()
      let other = text[start..<end].map { $0.isASCIIDigit ? digits.next() ?? $0 : $0 }
      let masked = String(decoding: text[..<start] + other + text[end...], as: UTF8.self)
      return Double(masked).flatMap { number in
        Int64(exactly: number) == nil && number.description.isIdentical(to: masked) ? number : nil
      }
    }
  }

  /// Permutes digits until they are a number again, which permutes exactly the digits that are one.
  private func permuted<Number>(_ digits: [UInt8], _ number: ([UInt8]) -> Number?) -> Number {
    var digits = digits
    while true {
      digits = DigitPermutation.masked(digits, under: key)
      if let number = number(digits) { return number }
    }
  }

  /// Returns the number, changed by a percentage that its document determines; the other way if it would pass a limit.
  func number(
    _ value: Double,
    percent: Int,
    seed: [UInt8],
    upTo limit: Double = .greatestFiniteMagnitude
  ) -> Double {
    let factor = 1 + Double(percent) / 100 * (fraction("number", seed) * 2 - 1)
    let changed = value * factor
    return abs(changed) > limit ? value / factor : changed
  }

  func number(_ value: Int64, percent: Int, seed: [UInt8]) -> Int64 {
    let limit = Double(Int64.max).nextDown
    return Int64(Int(clamping: number(Double(value), percent: percent, seed: seed, upTo: limit).rounded()))
  }

  /// Returns the time, moved by a number of days that its document determines, so that all its times move together; the
  /// other way if it would leave the calendar.
  func time(_ time: Timestamp, days: Int, seed: [UInt8]) -> Timestamp? {
    var shift = Int64((fraction("date", seed) * Double(2 * days)).rounded(.down)) - Int64(days)
    if shift >= 0 { shift += 1 }
    let moved = [shift, -shift].lazy.map { time.seconds + $0 * 86_400 }
    return moved.compactMap { Timestamp(seconds: $0, nanoseconds: time.nanoseconds) }.first
  }

  /// Returns the first moment of the time's year, in UTC.
  static func year(_ time: Timestamp) -> Timestamp? {
    let days = Int(time.seconds.flooredDivision(by: 86_400))
    return Timestamp(
      seconds: Int64(Civil.days(year: Civil.date(days: days).year, month: 1, day: 1)) * 86_400
    )
  }

  /// A number from 0 up to but not including 1.
  private func fraction(_ purpose: String, _ seed: [UInt8]) -> Double {
    let bytes = key.bytes(purpose, seed).prefix(4)
    return Double(bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) / 4_294_967_296
  }
}

extension PlainText {
  /// The text with its digits in ASCII, and otherwise only the characters that occur between the digits of phone numbers.
  fileprivate static func asciiDigits(_ text: String) -> [UInt8] {
    var kept: [UInt8] = []
    for scalar in text.unicodeScalars {
      if scalar.isASCII {
        let byte = UInt8(truncatingIfNeeded: scalar.value)
        if byte.isASCIIDigit || "+-.() ".utf8.contains(byte) { kept.append(byte) }
      } else if let digit = decimalDigit(scalar) {
        kept.append(UInt8(truncatingIfNeeded: digit.value))
      }
    }
    return kept
  }
}
