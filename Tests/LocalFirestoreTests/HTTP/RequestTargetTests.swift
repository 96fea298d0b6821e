import FirestoreModels
import Testing

@testable import LocalFirestore

@Suite struct RequestTargetTests {
  private func target(_ raw: String, hasVerb: Bool = false) throws(FirestoreError) -> RequestTarget {
    try RequestTarget(raw: Array(raw.utf8), hasVerb: hasVerb)
  }

  @Test func aVerbFollowsTheLastRawColon() throws {
    let post = try target("/v1/a%3Ab:run:Query?x=%3A", hasVerb: true)
    #expect(post.segments == ["v1", "a:b:run"] && post.verb == "Query")
    let get = try target("/v1/a:b")
    #expect(get.segments == ["v1", "a:b"] && get.verb == nil)
    #expect(try target("/a:b/c", hasVerb: true).verb == nil, "a colon of an earlier segment begins no verb")
  }

  @Test func eachPartIsDecodedOnce() throws {
    #expect(try target("/%2525/%2F%2f/+").segments == ["%25", "%2F%2f", "+"])
    #expect(try target("/").segments.isEmpty)
    #expect(try target("/a//b/").segments == ["a", "", "b", ""])
    #expect(try target("http://host:80/a/b?c=d").segments == ["a", "b"])
  }

  @Test func parametersKeepTheirOrderAndRepetition() throws {
    let query = try target("/x?mask.field_paths=%60a.b%60&mask.fieldPaths=c%26d+e&flag&y=1=2").query
    #expect(query.map(\.name) == ["mask.fieldPaths", "mask.fieldPaths", "flag", "y"])
    #expect(query.map(\.value) == ["`a.b`", "c&d e", "", "1=2"])
  }

  @Test(arguments: ["/%", "/%4", "/%zz", "/%ff", "/x?a=%"])
  func brokenEncodingIsRefused(raw: String) {
    #expect(throws: FirestoreError.self) { try target(raw) }
  }
}
