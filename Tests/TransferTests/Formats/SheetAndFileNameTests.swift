import FirestoreModels
import Testing

@testable import Tables
@testable import Transfer

@Suite struct SheetAndFileNameTests {
  @Test(arguments: [
    ("users", ["users"]), ("a/b:c", ["a_b_c"]), ("", ["_"]), ("'x'", ["_x_"]), ("History", ["History (2)"]),
    ("Users|users|USERS", ["Users", "users (2)", "USERS (3)"]),
    (
      "abcdefghijklmnopqrstuvwxyz0123456789|abcdefghijklmnopqrstuvwxyz012345",
      ["abcdefghijklmnopqrstuvwxyz01234", "abcdefghijklmnopqrstuvwxyz0 (2)"]
    ),
    ("🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋", ["🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋🏋"]),
  ])
  func sheetNamesAreLegalAndUnique(wanted: String, given: [String]) {
    var names = SheetNames()
    let names2 = wanted.split(separator: "|", omittingEmptySubsequences: false).map {
      names.unique(String($0))
    }
    #expect(names2 == given)
  }

  @Test(arguments: [
    ("users", "users.csv"), ("groups/g1/members", "groups%2Fg1%2Fmembers.csv"), ("..", "%2E..csv"),
    ("año", "a%C3%B1o.csv"), ("a%", "a%25.csv"), ("groups/*/members", "groups~members.csv"),
    ("a~/*/b", "a%7E~b.csv"), ("a/*/~b", "a~%7Eb.csv"), ("a/*/\u{301}", "a~%CC%81.csv"),
    // The digits are those of `sha256sum`; no byte is cut in two.
    (
      String(repeating: "k", count: 1500),
      String(repeating: "k", count: 180) + "%~9d0abdd6f18612433c5ac6d441410f91.csv"
    ),
    (
      "x" + String(repeating: "é", count: 100),
      "x" + String(repeating: "%C3%A9", count: 29) + "%C3%~47326d88f00787d41ebece2dce6cdbcb.csv"
    ),
  ])
  func fileNamesAreLegal(collection: String, name: String) throws {
    #expect(try ExportOutput.fileName(of: #require(CollectionPath(collection)), "csv") == name)
  }
}
