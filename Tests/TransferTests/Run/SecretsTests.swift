import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import Files
@testable import FirestoreREST

@Suite("Secrets are struck out of what leaves the process") struct SecretsTests {
  /// A text that no other test of this process has.
  private func unique(_ prefix: String) -> String { prefix + UUID().uuidString.replacing("-", with: "") }

  private func percentEncoded(_ text: String, _ digits: String = "%%%02X") -> String {
    text.utf8.map { byte in
      let isPlain = CharacterSet.alphanumerics.contains(Unicode.Scalar(byte))
      return isPlain ? String(Unicode.Scalar(byte)) : String(format: digits, Int(byte))
    }.joined()
  }

  @Test("A token is struck out as it is and in every form that it is sent on in.")
  func forms() throws {
    let token = unique("zq81.k/b+c=d_~\"e\\") + "=="
    let before = "Authorization: Bearer \(token)"
    #expect(Secrets.redacted(before) == before, "it is not known yet")
    _ = Secret(token)
    var json = JSONWriter()
    json.string(token)
    let inJSON = String(decoding: json.bytes.dropFirst().dropLast(), as: UTF8.self)
    let foundation = try JSONSerialization.data(withJSONObject: token, options: .fragmentsAllowed)
    let forms = [
      token, percentEncoded(token), percentEncoded(token, "%%%02x"), percentEncoded(percentEncoded(token)),
      inJSON,
      String(decoding: foundation.dropFirst().dropLast(), as: UTF8.self),
      inJSON.replacing("=", with: "\\u003d"),
      inJSON.replacing("+", with: "\\u002B"), token + "more", String(token.prefix(30)),
    ]
    for form in forms {
      let redacted = Secrets.redacted("before \(form) after \(form)")
      #expect(
        redacted.hasPrefix("before [removed]") && redacted.contains(" after [removed]"),
        "\(form): \(redacted)"
      )
      #expect(!redacted.contains(token.suffix(20)), "\(redacted)")
      #expect(
        Secrets.redacted(Array("{\"error\":\"\(form)\"}".utf8)).starts(with: "{\"error\":\"[removed]".utf8)
      )
    }
    // The beginning that all tokens have in common is none.
    #expect(Secrets.redacted("zq81.k/b+c") == "zq81.k/b+c")
  }

  @Test(
    "A token that is broken into lines is struck out whole, in every form.",
    arguments: ["\n", "\r\n", "\r", " "]
  )
  func lines(_ end: String) {
    func wrapped(_ text: String, _ width: Int) -> String {
      let bytes = Array(text.utf8)
      return stride(from: 0, to: bytes.count, by: width).map {
        String(decoding: bytes[$0..<min($0 + width, bytes.count)], as: UTF8.self)
      }.joined(separator: end)
    }
    // 69 bytes, which Base64 encodes without padding.
    let token = unique("zq86.") + unique("")
    _ = Secret(token)
    let hex = token.utf8.map { String(format: "%02x", Int($0)) }.joined()
    let percent = token.utf8.map { String(format: "%%%02X", Int($0)) }.joined()
    for form in [
      wrapped(token, 20), wrapped(Data(token.utf8).base64EncodedString(), 76),
      wrapped(Data(token.utf8).base64EncodedString(), 64), wrapped(hex, 64), wrapped(hex.uppercased(), 60),
      wrapped(percent, 75),
    ] {
      for text in [form, escaped(form), escaped(escaped(form)), TerminalText.escaped(form)] {
        #expect(Secrets.redacted("echo \(text) end") == "echo [removed] end", "\(text)")
      }
    }
    // The end of the line behind a part of a token is none of it.
    #expect(Secrets.redacted("\(token.prefix(40))\(end)more") == "[removed]\(end)more")
    // A short word may stand at the end of a line, and another one at the beginning of the next.
    let word = String(unique("zq87").prefix(12))
    _ = Secret(word)
    let broken = "\(word.prefix(6))\(end)\(word.suffix(6))"
    #expect(Secrets.redacted(broken) == broken)
  }

  /// The text as a JSON string, without its quotes.
  private func escaped(_ text: String) -> String {
    var json = JSONWriter()
    json.string(text)
    return String(decoding: json.bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  /// The text with each character as a JSON escape.
  private func codes(_ text: String, _ digits: String = "\\u%04x") -> String {
    text.utf16.map { String(format: digits, Int($0)) }.joined()
  }

  @Test(
    "A token that a JSON text within JSON texts holds is struck out at any depth, and the JSON stays valid."
  )
  func nested() throws {
    let token = unique("zq83.a/b=\"\\\\ñ\u{1F600}-")
    _ = Secret(token)
    let ascii = token.replacing("ñ", with: "\\u00f1").replacing("\u{1F600}", with: "\\ud83d\\ude00")
    let quoted = ascii.replacing("\\\\", with: "\\\\\\\\").replacing("\"", with: "\\\"")
    for form in [
      escaped(token), escaped(token).replacing("/", with: "\\/"),
      escaped(token).replacing("=", with: "\\u003d"),
      quoted, codes(token), codes(token, "\\u%04X"),
    ] {
      // What our own writer makes of a message that has a JSON text.
      var text = "{\"token\":\"\(form)\"}"
      for depth in 0..<4 {
        let redacted = Secrets.redacted(text)
        #expect(redacted.contains("[removed]"), "\(depth): \(redacted)")
        #expect(!redacted.contains(token.suffix(20)) && !redacted.contains("zq83"), "\(redacted)")
        text = "{\"message\":\"\(escaped(text))\"}"
        let json = Data(Secrets.redacted(text).utf8)
        #expect((try? JSONSerialization.jsonObject(with: json)) != nil, "\(depth): \(Secrets.redacted(text))")
      }
    }
    let plain = unique("zq85./+=")
    _ = Secret(plain)
    #expect(Secrets.redacted(percentEncoded(percentEncoded(percentEncoded(plain)))) == "[removed]")
  }

  @Test("A backslash before or at the end of a secret does not break the JSON around it.")
  func backslashes() throws {
    let token = unique("zq84")
    _ = Secret(token)
    _ = Secret(token + "-2\\")
    for text in ["C:\\\(token)", "\"\(token)-2\\\"", "\"\(token)\"", "\(token)-2\\\\"] {
      let json = Secrets.redacted("[\"\(escaped(text))\",\"\(escaped(escaped(text)))\"]")
      #expect(!json.contains("zq84"), "\(json)")
      #expect((try? JSONSerialization.jsonObject(with: Data(json.utf8))) != nil, "\(json)")
    }
  }

  @Test("A token is struck out in Base64 and in hexadecimal, whatever stands in front of it.")
  func codes() {
    let token = unique("zq82.>?") + unique("~~ÿ")
    _ = Secret(token)
    for before in ["", "B", "Be", "Bearer "] {
      let code = Data((before + token).utf8).base64EncodedString()
      let safe = code.replacing("+", with: "-").replacing("/", with: "_")
      let hex = (before + token).utf8.map { String(format: "%02x", Int($0)) }.joined()
      for form in [code, safe, hex, hex.uppercased()] {
        let redacted = Secrets.redacted("echo \(form)")
        #expect(redacted.contains("[removed]"), "\(redacted)")
        #expect(redacted.utf8.count < 45, "what is left of \(form): \(redacted)")
      }
    }
  }

  @Test("A token whose bytes are encoded one by one is struck out whole.")
  func bytes() {
    let token = unique("zq88./&<'\"x") + unique("")
    _ = Secret(token)
    func encoded(_ format: String, between separator: String = "") -> String {
      token.utf8.map { String(format: format, Int($0)) }.joined(separator: separator)
    }
    let named = token.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("'", with: "&#39;")
      .replacing("\"", with: "&quot;")
    let forms = [
      encoded("%02x", between: ":"), encoded("%02X", between: "-"), encoded("%02x", between: " "),
      encoded("%02x", between: ":\n"), encoded("\\x%02x"), encoded("\\x%02X"), encoded("&#%d;"),
      encoded("&#x%X;"), named, named.replacing("&", with: "&amp;"),
    ]
    for form in forms + forms.map(escaped) {
      #expect(Secrets.redacted("echo \(form) end") == "echo [removed] end", "\(form)")
    }
    for separator in [", ", ",", " "] {
      let list = encoded("0x%02x", between: separator)
      #expect(Secrets.redacted("[\(list)]") == "[0x[removed]]", "\(list)")
    }
    // What is like the beginning of one is none.
    for text in ["a & b &amp", "&#", "&#x;", "\\x", "\\x7", "a:", "&"] {
      #expect(Secrets.redacted(text) == text)
    }
  }

  @Test("Where encodings are mixed, the long parts of a token that they leave as they are are struck out.")
  func mixed() {
    let rest = unique("0gAbCdEfGhIjKl")
    _ = Secret("1//\(rest)")
    for slash in ["%5C%2F", "%5c%2f", "%5Cu002F", "\\u00252F", "&#47;"] {
      let redacted = Secrets.redacted("echo 1\(slash)\(slash)\(rest)")
      #expect(redacted.contains("[removed]") && !redacted.contains("0gAbCd"), "\(redacted)")
    }
  }

  @Test("A key of several lines is struck out whole, with its lines in one, and line by line.")
  func key() {
    let lines = (0..<3).map { _ in unique("MIIE") }
    let key =
      "-----BEGIN PRIVATE KEY-----\n" + lines.joined(separator: "\n") + "\n-----END PRIVATE KEY-----\n"
    _ = Secret(key)
    for form in [
      key, key.replacing("\n", with: "\\n"), key.replacing("\n", with: " "), percentEncoded(key), lines[1],
    ] {
      let redacted = Secrets.redacted("at \(form)")
      #expect(redacted.hasPrefix("at [removed]"), "\(redacted)")
      for line in lines { #expect(!redacted.contains(line)) }
    }
    #expect(Secrets.redacted("-----BEGIN PRIVATE KEY-----") == "-----BEGIN PRIVATE KEY-----")
  }

  @Test("What is shorter than a word says nothing, and is left alone.")
  func short() {
    _ = Secret("owner")
    #expect(Secrets.redacted("the owner of the store") == "the owner of the store")
  }

  @Test(
    "The passwords of proxies are struck out, encoded or not, and as a header has them.",
    arguments: [
      "https_proxy", "http_proxy", "HTTPS_PROXY", "ALL_PROXY",
    ]
  )
  func proxies(_ variable: String) throws {
    let (user, password) = (unique("eve"), unique("pa:ss/w#"))
    let encoded = percentEncoded(password)
    Secrets.addProxies(of: [
      variable: "http://\(user):\(encoded)@proxy.example:3128", "no_proxy": "a@b.example",
    ])
    let header = Data("\(user):\(password)".utf8).base64EncodedString()
    for text in [password, encoded, "http://\(user):\(encoded)@proxy.example:3128", header] {
      let redacted = Secrets.redacted("'\(text)'")
      #expect(redacted.contains("[removed]") && !redacted.contains(password.suffix(20)), "\(redacted)")
      #expect(!redacted.contains(header))
    }
    // A name alone is a token.
    let token = unique("tok")
    Secrets.addProxies(of: [variable: "\(token)@proxy.example:3128"])
    #expect(Secrets.redacted(token) == "[removed]")
    #expect(Secrets.redacted("a@b.example proxy.example:3128") == "a@b.example proxy.example:3128")
  }

  @Test(
    "Of what others say, logins in URLs, credentials of headers and tokens of parameters are left out.",
    arguments: [
      (
        "Unsupported proxy syntax in 'http://eve:hunter2@proxy:3128'",
        "Unsupported proxy syntax in 'http://[removed]@proxy:3128'"
      ),
      (
        "moved to https://a.example/x?access_token=abcdefgh1&y=2",
        "moved to https://a.example/x?access_token=[removed]&y=2"
      ),
      ("?code=4/0AbCdEfGh&state=1", "?code=[removed]&state=1"),
      ("got Authorization: Bearer abcdefghijklmnopqrst.uvw==", "got Authorization: Bearer [removed]"),
      ("Bearer authentication is wanted", "Bearer authentication is wanted"),
      ("code=7, key=x", "code=7, key=x"), ("https://a.example/@b", "https://a.example/@b"),
    ]
  )
  func foreign(text: String, cleaned: String) {
    #expect(ForeignText.cleaned(text) == cleaned)
  }
}
