import FirestoreModels
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("The page token at the end of a response")
struct EarlyTokenTests {
  private func find(_ json: String) -> String? { EarlyToken.find(in: Array(json.utf8))?.string }

  @Test(
    "A token that is the last member is found.",
    arguments: [
      #"{"documents":[],"nextPageToken":"abc"}"#, #"{"nextPageToken":"abc"}"#,
      "{\n  \"documents\": [],\n  \"nextPageToken\": \"abc\"\n}\n", "{ \"nextPageToken\"\t:\r\n\"abc\" } \n",
      #"{"a":"\"","nextPageToken":"abc"}"#, #"{"a\\":"\\","nextPageToken":"abc"}"#,
    ]
  )
  func found(json: String) { #expect(find(json) == "abc") }

  @Test(
    "Nothing else is.",
    arguments: [
      "", "}", "{}", #"{"documents":[]}"#, "[]", #"[{"nextPageToken":"abc"}]"#,
      #"{"nextPageToken":""}"#, #"{"nextPageToken":7}"#, #"{"nextPageToken":null}"#,
      // In another object, or in a string.
      #"{"a":{"nextPageToken":"abc"}}"#, #"{"a":[{"nextPageToken":"abc"}]}"#,
      #"{"a":"\"nextPageToken\":\"abc\"}"}"#, #"{"a":"x,\"nextPageToken\":\"abc"}"#,
      #"{"a":"{\"nextPageToken\":\"abc\"}\n"}"#,
      // With escapes, or before another member.
      #"{"nextPageToken":"a\u0062c"}"#, #"{"nextPageToken":"a\"c"}"#, #"{"nextPage\u0054oken":"abc"}"#,
      #"{"nextPageToken":"abc","documents":[]}"#, #"{"XnextPageToken":"abc"}"#, #"{"extPageToken":"abc"}"#,
    ]
  )
  func notFound(json: String) { #expect(find(json) == nil) }

  @Test("A token that is not UTF-8, or very long, is none.")
  func bounds() {
    #expect(EarlyToken.find(in: Array(#"{"nextPageToken":""#.utf8) + [0xFF] + Array("\"}".utf8)) == nil)
    let longest = String(repeating: "x", count: EarlyToken.maximumBytes)
    #expect(find(#"{"nextPageToken":"\#(longest)"}"#) == longest)
    #expect(find(#"{"nextPageToken":"\#(longest)x"}"#) == nil)
  }

  @Test("Whatever valid JSON holds, what is found is the root's token.")
  func neverAnother() throws {
    let parser = JSONParser()
    var (valid, found) = (0, 0)
    for seed in UInt64(1)...20_000 {
      var random = SplitMix64(seed: seed)
      let json = Self.json(&random, depth: 3, isRoot: true)
      guard
        let token = try? parser.parse(
          Array(json.utf8),
          { root throws(WireError) in
            root["nextPageToken"]?.string ?? "none"
          }
        )
      else { continue }
      valid += 1
      guard let early = find(json) else { continue }
      found += 1
      #expect(early.isIdentical(to: token), "seed \(seed): \(json)")
    }
    // The generator makes both.
    #expect(valid > 10_000 && found > 500)
  }

  private static let pieces = [
    #"nextPageToken"#, #"\""#, #"\\"#, ":", "}", "{", ",", " ", "abc", #"\"nextPageToken\":\"t\"}"#,
    #"\u0022"#, "é",
  ]

  private static func string(_ random: inout SplitMix64) -> String {
    let count = Int.random(in: 0...4, using: &random)
    return "\"" + (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined() + "\""
  }

  private static func json(_ random: inout SplitMix64, depth: Int, isRoot: Bool = false) -> String {
    let space = ["", " ", "\n"].randomElement(using: &random) ?? ""
    switch isRoot ? 0 : Int.random(in: depth > 0 ? 0...5 : 2...5, using: &random) {
    case 0:
      var names: Set<String> = []
      var members: [String] = []
      for _ in 0..<Int.random(in: 0...3, using: &random) {
        let name = Bool.random(using: &random) ? "\"nextPageToken\"" : string(&random)
        // Which of two members of a name counts is not what this is about.
        guard names.insert(name).inserted else { continue }
        members.append("\(name)\(space):\(space)\(json(&random, depth: depth - 1))")
      }
      return "{\(space)" + members.joined(separator: ",\(space)") + "\(space)}\(space)"
    case 1:
      let elements = (0..<Int.random(in: 0...3, using: &random)).map { _ in json(&random, depth: depth - 1) }
      return "[" + elements.joined(separator: ",") + "]"
    case 2: return "7"
    default: return string(&random)
    }
  }
}
