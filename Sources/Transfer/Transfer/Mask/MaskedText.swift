import Files
import Schema

/// What texts, bytes, numbers and times become under a key.
///
/// A text and its purpose decide alone, so the same person is the same everywhere.
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

  /// As ``pseudonym(_:)``, but for texts that stay and what others begin with.
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

  private static let lettersAndDigits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8
  )

  private func letters(_ bytes: [UInt8], count: Int) -> String {
    let letters = Self.lettersAndDigits
    return String(decoding: bytes.prefix(count).map { letters[Int($0) % letters.count] }, as: UTF8.self)
  }

  func hash(_ bytes: some Sequence<UInt8>) -> String {
    Hexadecimal.text(of: key.bytes("hash", bytes))
  }

  // MARK: Formats

  /// Returns an address of a domain, by default of one that nobody can have; a text that is no address stays none.
  ///
  /// Case and white space around it say nothing about who it is. The white space stays, so that what is wrong with an
  /// address is wrong with the masked one, too, and one that is put right fits its index.
  func email(_ text: String, of domain: String) -> String {
    let isAround = { PlainText.isWhiteSpace($0) || $0 == "\u{200B}" }
    let email = PlainText.trimmed(text.lowercased(), where: isAround)
    let scalars = text.unicodeScalars
    if email.isEmpty { return text }
    let before = scalars.prefix(while: isAround)
    let after = scalars.suffix(scalars.reversed().prefix(while: isAround).count)
    return String(before) + address(of: email, "u", domain) + String(after)
  }

  /// As ``email(_:of:)``, for an ID, which is compared as it stands: one with capitals is another one, and has one.
  func emailID(_ id: String, of domain: String) -> String {
    if id.isEmpty { return id }
    return address(of: id, id.lowercased().isIdentical(to: id) ? "u" : "U", domain)
  }

  private func address(of email: String, _ first: String, _ domain: String) -> String {
    let name = first + Hexadecimal.text(of: key.bytes("email", email.utf8).prefix(8))
    return FieldFormat.email.matches(email) ? "\(name)@\(domain)" : name
  }

  /// Whether a text is as ``email(_:of:)`` makes addresses.
  static func isAddress(_ text: String, of domain: String) -> Bool {
    let end = "@\(domain)"
    let name = text.utf8.dropLast(end.utf8.count)
    guard text.hasSuffix(end), name.count == 17, let first = name.first, "uU".utf8.contains(first) else {
      return false
    }
    return name.dropFirst().allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
  }

  /// What masked URLs begin with.
  static let urlBase = "https://example.test/"

  func url(_ text: String) -> String {
    text.isEmpty ? text : "\(Self.urlBase)\(letters(key.bytes("url", text.utf8), count: 20))"
  }

  /// Returns a phone of the same country and form: the digits behind the country decide, the last ten at most, so that it is the
  /// same phone with and without its country.
  ///
  /// A longer number than a phone is masked from its first digit.
  func digits(_ text: String) -> String {
    let kept = PlainText.asciiDigits(text)
    let digits = kept.filter(\.isASCIIDigit)
    let count = digits.count > 13 ? digits.count : min(10, digits.count - PhoneCountry.digitCount(of: kept))
    let national = Array(digits.suffix(count))
    var masked = (digits.dropLast(count) + DigitPermutation.masked(national, under: key)).makeIterator()
    return String(decoding: kept.map { $0.isASCIIDigit ? masked.next() ?? $0 : $0 }, as: UTF8.self)
  }

  // MARK: Words

  /// Returns a name of as many words, each decided by the word that it stands for; particles stay.
  func name(_ text: String) -> String {
    var words: [String] = []
    for word in Self.words(of: text) {
      let isParticle = MaskWords.particles.contains { $0.isIdentical(to: word) }
      words.append(isParticle ? word : self.word(word, "name", MaskWords.names))
    }
    return words.joined(separator: " ")
  }

  /// Returns as many words of no meaning, at most 40.
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

  /// A word of a list that is not the one that it stands for.
  private func word(_ word: String, _ purpose: String, _ list: [String]) -> String {
    let word = word.lowercased()
    let bytes = key.bytes(purpose, word.utf8)
    let index = (Int(bytes[0]) << 8 | Int(bytes[1])) % list.count
    let found = list[index]
    // Of the words of the lists, small letters take as many bytes as capitals.
    let isSame = found.utf8.count == word.utf8.count && found.lowercased().isIdentical(to: word)
    return isSame ? list[(index + 1) % list.count] : found
  }

  // MARK: Numbers and times

  /// Returns a whole number of as many digits, as ``digits(_:)`` makes them.
  func number(_ value: Int64) -> Int64 {
    // Of 18 digits every number fits.
    let digits = Array(String(value.magnitude).utf8.prefix(18))
    let masked = String(decoding: DigitPermutation.masked(digits, under: key), as: UTF8.self)
    return (Int64(masked) ?? 0) * (value < 0 ? -1 : 1)
  }

  func number(_ value: Double, percent: Int, seed: [UInt8]) -> Double {
    value * (1 + Double(percent) / 100 * (fraction("number", seed) * 2 - 1))
  }

  /// Returns the time, moved by days that its document decides: all of a document's times move together.
  func time(_ time: Timestamp, days: Int, seed: [UInt8]) -> Timestamp? {
    var shift = Int64((fraction("date", seed) * Double(2 * days)).rounded(.down)) - Int64(days)
    if shift >= 0 { shift += 1 }
    return Timestamp(seconds: time.seconds + shift * 86_400, nanoseconds: time.nanoseconds)
  }

  /// Returns the first moment of the time's year, in UTC.
  static func year(_ time: Timestamp) -> Timestamp? {
    let days = Int(time.seconds.flooredDivision(by: 86_400))
    return Timestamp(
      seconds: Int64(Civil.days(year: Civil.date(days: days).year, month: 1, day: 1)) * 86_400
    )
  }

  /// A number from 0 to below 1.
  private func fraction(_ purpose: String, _ seed: [UInt8]) -> Double {
    let bytes = key.bytes(purpose, seed).prefix(4)
    return Double(bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) / 4_294_967_296
  }
}

extension PlainText {
  /// The text with its digits in ASCII, and of all else only what stands between the digits of a phone.
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
