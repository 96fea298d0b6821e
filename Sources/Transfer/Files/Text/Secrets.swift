import Synchronization

/// The secrets of this process (tokens, keys, passwords), which may leave it only in requests.
///
/// Servers, proxies and libraries echo what they receive. So every text for a terminal, a log or a summary is searched for
/// all known secrets, verbatim and encoded: percent-encoded, escaped in JSON or HTML (all any number of times), in Base64, in
/// hexadecimal, truncated, and broken into lines or bytes. Where encodings are mixed, what they leave as it is is found.
package enum Secrets {
  /// Shorter texts cannot be distinguished from ordinary words.
  static let minimumBytes = 6
  package static let mark = "[removed]"
  /// The length from which the beginning of a long secret is removed even if the remainder was cut off.
  private static let minimumPrefix = 16
  private static let backslash = UInt8(ascii: "\\")

  private struct Known {
    var secrets: [[UInt8]] = []
    /// Whether a byte can begin a secret in any encoding.
    var begins = [Bool](repeating: false, count: 256)
  }

  private static let known = Mutex(Known())

  /// Registers a secret; if it has several lines, each line as well.
  package static func add(_ secret: String) {
    let lines = secret.split(whereSeparator: \.isNewline).map(String.init)
    // The lines around a PEM key are the same for all keys.
    let parts = lines.count > 1 ? [secret] + lines.filter { !$0.hasPrefix("-----") } : [secret]
    let plain = parts.map { Array($0.utf8) }
    let forms = (plain + codes(of: plain[0]) + parts.flatMap(escapes) + plain.flatMap(unchanged))
      .filter { $0.count >= minimumBytes }
    known.withLock { known in
      for form in forms where !known.secrets.contains(form) {
        known.secrets.append(form)
        for byte in form.prefix(1) + Array("%&\\+ ".utf8) { known.begins[Int(byte)] = true }
      }
    }
  }

  /// Forgets all secrets, for a program that creates millions of them and prints none, such as a fuzz target.
  static func forgetAll() { known.withLock { $0 = Known() } }

  /// Returns the secret with JSON escapes for the letters that are not ASCII; empty if it has none.
  private static func escapes(of secret: String) -> [[UInt8]] {
    if secret.utf8.allSatisfy({ $0 < 0x80 }) { return [] }
    return [false, true].map { isUpper in
      secret.utf16.flatMap { unit in
        unit < 0x80
          ? [UInt8(unit)]
          : Array("\\u".utf8)
            + Hexadecimal.digits(of: [UInt8(unit >> 8), UInt8(unit & 0xFF)], areUpper: isUpper)
      }
    }
  }

  /// Returns the long parts of a secret that no encoding changes, in whatever order encodings are applied to the rest.
  private static func unchanged(in secret: [UInt8]) -> [[UInt8]] {
    secret.split { !$0.isASCIILetterOrDigit && !"-._".utf8.contains($0) }
      .filter { $0.count >= minimumPrefix }.map(Array.init)
  }

  /// Returns the secret in hexadecimal and in Base64 at any alignment.
  ///
  /// Base64 encodes three bytes as four letters; only letters that depend on the secret alone are kept.
  private static func codes(of secret: [UInt8]) -> [[UInt8]] {
    // A short code also occurs in other words.
    if secret.count < minimumPrefix { return [] }
    var codes: [[UInt8]] = []
    for isUpper in [false, true] {
      codes.append(Hexadecimal.digits(of: secret, areUpper: isUpper))
    }
    for before in 0..<3 {
      let end = (before + secret.count) / 3 * 3 - before
      var code: [UInt8] = []
      Base64.append([UInt8](repeating: 0, count: before) + secret[..<end], to: &code)
      let whole = Array(code.dropFirst(before == 0 ? 0 : 4))
      codes.append(whole)
      let safe = [UInt8(ascii: "+"): UInt8(ascii: "-"), UInt8(ascii: "/"): UInt8(ascii: "_")]
      codes.append(whole.map { safe[$0] ?? $0 })
    }
    return codes
  }

  /// Registers the credentials in proxy variables (`https_proxy` and similar): the password, or a user name that serves as
  /// one.
  package static func addProxies(of environment: [String: String]) {
    for (name, value) in environment {
      guard name.lowercased().hasSuffix("_proxy"), name.lowercased() != "no_proxy" else { continue }
      let rest = value.firstRange(of: "://").map { value[$0.upperBound...] } ?? value[...]
      guard let at = rest.utf8.lastIndex(of: UInt8(ascii: "@")) else { continue }
      let login = String(rest[..<at])
      let user = login.prefix { $0 != ":" }
      let password = login.dropFirst(user.count + 1)
      // curl parses unencoded characters in its own way and reports the parts.
      for text in [String(rest), login, password.isEmpty ? String(user) : String(password)] { add(text) }
      for part in password.split(whereSeparator: { "@/:?#".contains($0) }) { add(String(part)) }
      let decoded = (user: unescaped(user), password: unescaped(password))
      add(String(decoding: decoded.password, as: UTF8.self))
      add(Base64.standard(decoded.user + [UInt8(ascii: ":")] + decoded.password))
    }
  }

  /// Decodes percent-encoding.
  private static func unescaped(_ text: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let first = rest.popFirst() {
      if first == UInt8(ascii: "%"), rest.count >= 2,
        let byte = UInt8(String(rest.prefix(2)) ?? "", radix: 16)
      {
        bytes.append(byte)
        rest.removeFirst(2)
      } else {
        bytes.append(first)
      }
    }
    return bytes
  }

  /// Returns the text with secrets replaced by ``mark``.
  package static func redacted(_ text: String) -> String {
    var text = text
    let bytes = text.withUTF8 { redacted($0) }
    return bytes.map { String(decoding: $0, as: UTF8.self) } ?? text
  }

  /// Returns the bytes with secrets replaced by ``mark``.
  package static func redacted(_ text: [UInt8]) -> [UInt8] {
    text.withUnsafeBufferPointer { redacted($0) } ?? text
  }

  /// Returns the text with secrets replaced; nil if it has none.
  private static func redacted(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    let known = known.withLock { $0 }
    if known.secrets.isEmpty { return nil }
    var out: [UInt8]?
    var copied = 0
    var index = 0
    while index < text.count {
      // Of several matches, the longest one is replaced.
      guard known.begins[Int(text[index])],
        let length = known.secrets.lazy.compactMap({ match($0, in: text, at: index) }).max()
      else {
        // What begins within a run of backslashes begins with the run.
        let run = text[index...].prefix { $0 == backslash }.count
        index += max(1, run)
        continue
      }
      out = (out ?? []) + text[copied..<index] + Array(mark.utf8)
      index += length
      copied = index
    }
    return out.map { $0 + text[copied...] }
  }

  /// Returns the length of a secret in any encoding at an index; nil if there is none.
  private static func match(_ secret: [UInt8], in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    var end = start
    var matched = 0
    while matched < secret.count {
      let next = secret[matched]
      guard
        let length = form(of: next, in: text, at: end)
          ?? (matched > 0 && secret.count >= minimumPrefix ? separatedForm(of: next, in: text, at: end) : nil)
      else { break }
      end += length
      matched += 1
      // A run of backslashes is matched whole.
      if text[end - 1] == backslash { matched += secret[matched...].prefix { $0 == backslash }.count }
    }
    // The last one of an odd run escapes what follows it.
    if !text[start..<end].reversed().prefix(while: { $0 == backslash }).count.isMultiple(of: 2) { end -= 1 }
    // The first line of a multi-line secret is the same for all of its kind.
    let mayBeCut = secret.count >= 2 * minimumPrefix && !secret.contains(0x0A)
    let isEnough = matched == secret.count || (mayBeCut && matched >= minimumPrefix)
    return isEnough ? end - start : nil
  }

  /// Returns the length of the encoded byte at an index; nil if something else is there.
  private static func form(of byte: UInt8, in text: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
    guard index < text.count else { return nil }
    switch text[index] {
    case backslash: return escape(of: byte, in: text, at: index)
    case UInt8(ascii: "&"): return entity(of: byte, in: text, at: index)
    case byte: return 1
    case UInt8(ascii: "%"): return percentCode(of: byte, in: text, at: index)
    case UInt8(ascii: "+") where byte == 0x20: return 1
    // Line breaks may come back as spaces.
    case 0x20 where byte == 0x0A: return 1
    default: return nil
    }
  }

  /// What may be between the bytes of a text in hexadecimal.
  private static let separators = [":", "-", ", 0x", ",0x", " 0x"].map { Array($0.utf8) }

  /// Returns the length of an encoded byte and of what separates it from the one before: a separator, the end of a line in any
  /// encoding, or both; nil if something else is there.
  ///
  /// At most one separator and one LF, CR or CR LF are skipped, so that the search is linear.
  private static func separatedForm(
    of byte: UInt8,
    in text: UnsafeBufferPointer<UInt8>,
    at start: Int
  ) -> Int? {
    guard start < text.count, !text[start].isASCIILetterOrDigit else { return nil }
    var index = start
    index += separators.first { text[index...].starts(with: $0) }?.count ?? 0
    for (end, shown) in [(0x0D, "\\u{D}".utf8), (0x0A, "\\u{A}".utf8)] as [(UInt8, String.UTF8View)] {
      // Text for a terminal is searched once it has its escapes.
      index += text[index...].starts(with: shown) ? shown.count : form(of: end, in: text, at: index) ?? 0
    }
    if index == start { return nil }
    return form(of: byte, in: text, at: index).map { index + $0 - start }
  }

  /// Returns the length of a percent code, encoded any number of times: `%2F`, `%252F`.
  private static func percentCode(
    of byte: UInt8,
    in text: UnsafeBufferPointer<UInt8>,
    at start: Int
  ) -> Int? {
    var index = start + 1
    while text[index...].starts(with: "25".utf8), !isHex(byte, in: text, at: index, digits: 2) { index += 2 }
    return isHex(byte, in: text, at: index, digits: 2) ? index + 2 - start : nil
  }

  /// The names of HTML's entities for characters that markup needs.
  private static let entities = Dictionary(
    uniqueKeysWithValues: zip(["lt", "gt", "quot", "apos"], "<>\"'".utf8)
  )

  /// Returns the length of an HTML entity, or of `&` itself, encoded any number of times: `&#47;`, `&#x2F;`, `&amp;lt;`.
  private static func entity(of byte: UInt8, in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    var index = start + 1
    while text[index...].starts(with: "amp;".utf8) { index += 4 }
    let name = text[index...].prefix(8).prefix { $0 != UInt8(ascii: ";") }
    let word = String(decoding: name, as: UTF8.self)
    let code =
      word.lowercased().hasPrefix("#x")
      ? UInt8(word.dropFirst(2), radix: 16)
      : word.hasPrefix("#") ? UInt8(word.dropFirst()) : entities[word]
    if code == byte, name.endIndex < text.count, text[name.endIndex] == UInt8(ascii: ";") {
      return name.endIndex + 1 - start
    }
    return byte == UInt8(ascii: "&") ? index - start : nil
  }

  /// The letters of JSON's short escapes.
  private static let letters = Dictionary(
    uniqueKeysWithValues: zip([8, 9, 10, 12, 13] as [UInt8], "btnfr".utf8)
  )

  /// Returns the length of an escape of JSON or of a program's text, also of one in a JSON text that is a string in another: `\/`,
  /// `\\/`, `\\u002f`, `\x2f`.
  ///
  /// Each string around it doubles the backslashes, so any number of them is one.
  private static func escape(of byte: UInt8, in text: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    guard let end = text[start...].firstIndex(where: { $0 != backslash }) else {
      return byte == backslash ? text.count - start : nil
    }
    for (letter, digits) in [(UInt8(ascii: "u"), 4), (UInt8(ascii: "x"), 2)] {
      if text[end] == letter, isHex(byte, in: text, at: end + 1, digits: digits) {
        return end + 1 + digits - start
      }
    }
    if byte == backslash { return end - start }
    return text[end] == letters[byte] ?? byte ? end + 1 - start : nil
  }

  private static func isHex(
    _ byte: UInt8,
    in text: UnsafeBufferPointer<UInt8>,
    at start: Int,
    digits: Int
  ) -> Bool {
    guard start + digits <= text.count else { return false }
    return Int(String(decoding: text[start..<(start + digits)], as: UTF8.self), radix: 16) == Int(byte)
  }
}
