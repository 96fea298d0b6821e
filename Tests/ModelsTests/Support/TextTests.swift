import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("Base64")
struct Base64Tests {
  // RFC 4648, section 10.
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func vectors(text: String, base64: String) {
    var out: [UInt8] = []
    Base64.append(text.utf8, to: &out)
    #expect(String(decoding: out, as: UTF8.self) == base64)
    let bare = base64.filter { $0 != "=" }
    #expect(Base64.urlSafe(text.utf8) == bare)
    #expect(Base64.decode(base64) == Array(text.utf8))
    #expect(Base64.decode(bare) == Array(text.utf8))
  }

  @Test(arguments: [
    "A", "=", "==", "====", "A=", "A==", "A===", "AA=", "AAA==", "AAAA=", "AAAA==", "AAAA====", "AA=A",
    "=AAA", "A=AA",
    "AA==AA==", "AAAAA", "A A=", "AAA\n", "AAA.", "AA\u{0}A", "ÁAA", "AAAAA===",
  ])
  func malformed(_ text: String) {
    #expect(Base64.decode(text) == nil)
  }

  @Test func agreesWithFoundation() throws {
    var random = SplitMix64(seed: 64)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      let judge = Data(bytes).base64EncodedString()
      var out: [UInt8] = []
      Base64.append(bytes, to: &out)
      #expect(String(decoding: out, as: UTF8.self) == judge)
      let url = judge.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      #expect(Base64.decode(judge) == bytes)
      #expect(Base64.decode(url) == bytes)
      #expect(Base64.urlSafe(bytes) == url.replacingOccurrences(of: "=", with: ""))
    }
  }
}

@Suite("Text by its bytes")
struct UTF8OrderTests {
  @Test func equivalentTextsAreTwo() {
    #expect("\u{E9}" == "e\u{301}")  // Swift's, and why it is never used on data
    #expect(!"\u{E9}".isIdentical(to: "e\u{301}"))
    #expect(UTF8Key("\u{E9}") != UTF8Key("e\u{301}"))
    #expect(Set([UTF8Key("\u{E9}"), UTF8Key("e\u{301}"), UTF8Key("\u{E9}")]).count == 2)
    #expect("\u{212B}".compareUTF8("\u{C5}") > 0)
  }

  @Test func orderIsThatOfTheBytes() {
    for seed in UInt64(1)...20 {
      var random = RandomDocuments(seed: seed)
      for _ in 0..<100 {
        let a = random.text(upTo: 4)
        let b = random.text(upTo: 4)
        let judge = a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : a.utf8.elementsEqual(b.utf8) ? 0 : 1
        #expect(a.compareUTF8(b).signum() == judge, "seed \(seed)")
        #expect((UTF8Key(a) < UTF8Key(b)) == (judge < 0), "seed \(seed)")
      }
    }
  }
}

@Suite("Failures")
struct FailureTests {
  @Test func oneLine() {
    let failure = Failure(
      .configuration,
      "read the configuration",
      path: "gymmigrate.yaml",
      cause: "line 3\nis odd",
      remedy: "Mend it."
    )
    #expect(failure.description == "cannot read the configuration gymmigrate.yaml: line 3 is odd. Mend it.")
    #expect(Failure(.internal, "add up", cause: "1 is missing").description == "cannot add up: 1 is missing")
  }

  @Test func statusesAndCodes() {
    for status in FirestoreError.Status.allCases {
      #expect(FirestoreError.Status(name: status.name) == (status == .ok ? nil : status))
      #expect(FirestoreError(status, "m").code == status.httpCode)
    }
    #expect(FirestoreError.Status(name: "OTHER") == nil)
    let likeliest: [(Int, FirestoreError.Status)] = [
      (400, .invalidArgument), (401, .unauthenticated), (403, .permissionDenied), (404, .notFound),
      (409, .aborted),
      (429, .resourceExhausted), (500, .internal), (502, .unavailable), (503, .unavailable),
      (504, .deadlineExceeded),
      (418, .failedPrecondition), (302, .unknown),
    ]
    for (code, status) in likeliest { #expect(FirestoreError.Status(httpCode: code) == status) }
    #expect(FirestoreError(.notFound, "a\nb").description == "NOT_FOUND (404): a b")
  }

  @Test func errorBodies() {
    var json = JSONWriter()
    json.error(FirestoreError(.aborted, "too \"much\""))
    #expect(
      String(decoding: json.bytes, as: UTF8.self)
        == #"{"error":{"code":409,"message":"too \"much\"","status":"ABORTED"}}"#
    )
  }
}
