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
    #expect(Secrets.struck(before) == before, "it is not known yet")
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
      let struck = Secrets.struck("before \(form) after \(form)")
      #expect(
        struck.hasPrefix("before [removed]") && struck.contains(" after [removed]"),
        "\(form): \(struck)"
      )
      #expect(!struck.contains(token.suffix(20)), "\(struck)")
      #expect(
        Secrets.struck(Array("{\"error\":\"\(form)\"}".utf8)).starts(with: "{\"error\":\"[removed]".utf8)
      )
    }
    // The beginning that all tokens have in common is none.
    #expect(Secrets.struck("zq81.k/b+c") == "zq81.k/b+c")
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
        let struck = Secrets.struck("echo \(form)")
        #expect(struck.contains("[removed]"), "\(struck)")
        #expect(struck.utf8.count < 45, "what is left of \(form): \(struck)")
      }
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
      let struck = Secrets.struck("at \(form)")
      #expect(struck.hasPrefix("at [removed]"), "\(struck)")
      for line in lines { #expect(!struck.contains(line)) }
    }
    #expect(Secrets.struck("-----BEGIN PRIVATE KEY-----") == "-----BEGIN PRIVATE KEY-----")
  }

  @Test("What is shorter than a word says nothing, and is left alone.")
  func short() {
    _ = Secret("owner")
    #expect(Secrets.struck("the owner of the store") == "the owner of the store")
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
      let struck = Secrets.struck("'\(text)'")
      #expect(struck.contains("[removed]") && !struck.contains(password.suffix(20)), "\(struck)")
      #expect(!struck.contains(header))
    }
    // A name alone is a token.
    let token = unique("tok")
    Secrets.addProxies(of: [variable: "\(token)@proxy.example:3128"])
    #expect(Secrets.struck(token) == "[removed]")
    #expect(Secrets.struck("a@b.example proxy.example:3128") == "a@b.example proxy.example:3128")
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
