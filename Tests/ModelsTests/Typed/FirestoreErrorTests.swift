import FirestoreDocuments
import Foundation
import Testing

/// The library's error, as its users see it.
@Suite("Errors of the library", .bothParsers)
struct FirestoreErrorTests {
  /// An error of Swift: the library's name does not shadow this protocol where it is imported.
  private struct Closed: Error {}

  @Test("The codes have the names and numbers of FirestoreErrorCode.")
  func codes() {
    let codes: [FirestoreDocuments.Error.Code] = [
      .ok, .cancelled, .unknown, .invalidArgument, .deadlineExceeded, .notFound, .alreadyExists,
      .permissionDenied, .resourceExhausted, .failedPrecondition, .aborted, .outOfRange, .unimplemented,
      .internal, .unavailable, .dataLoss, .unauthenticated,
    ]
    #expect(codes.map(\.rawValue) == Array(0...16))
    #expect(FirestoreDocuments.Error.Code.allCases == codes)
    // No error says OK.
    #expect(FirestoreError.Code(name: "OK") == nil)
  }

  @Test(
    "It is decoded from a body or from the object in it.",
    arguments: [
      #"{"error":{"code":404,"message":"No such document.","status":"NOT_FOUND"}}"#,
      #"{"code":404,"message":"No such document.","status":"NOT_FOUND"}"#,
      #"{"code":5,"message":"No such document."}"#,
      #"{"error":{"code":404,"message":"No such document.","status":"BRAND_NEW","details":7}}"#,
    ]
  )
  func decoding(_ json: String) throws {
    let error = try JSONDecoder().decode(FirestoreDocuments.Error.self, from: Data(json.utf8))
    #expect(error == FirestoreError(.notFound, "No such document.", code: 404))
    #expect(error.errorDescription == "NOT_FOUND: No such document.")
    let status: String = error.status
    #expect(status == "NOT_FOUND" && error.status == "NOT_FOUND" && error.status == .notFound)
    #expect((error as any Error).localizedDescription == "NOT_FOUND: No such document.")
  }

  @Test(
    "Decoded as Codable, it is the same as of a response.",
    arguments: [
      #"{"code":0,"message":"m","status":"OK"}"#,
      #"{"code":503,"status":"UNAVAILABLE"}"#,
      #"{"message":"m","status":"ABORTED"}"#,
      #"{"message":"m"}"#,
      #"""
      {"code":429,"message":"m","status":"RESOURCE_EXHAUSTED","details":[
        {"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED"},
        {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1.500s"},{"other":1}]}
      """#,
    ]
  )
  func sameAsResponse(_ error: String) throws {
    let body = Data(#"{"error":\#(error)}"#.utf8)
    let decoded = try JSONDecoder().decode(FirestoreError.self, from: body)
    let result: Result<Document<FieldMap>, FirestoreError> = try JSONDecoder().decodeGetResult(from: body)
    #expect(result == .failure(decoded))
    #expect(decoded.status != .ok)
  }

  @Test(arguments: ["{}", #"{"documents":[]}"#, "[]", #"{"error":"x"}"#, #"{"code":"x"}"#])
  func noError(_ json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(FirestoreError.self, from: Data(json.utf8))
    }
  }

  @Test("It is thrown and caught beside errors of Swift.")
  func catching() throws {
    func fail(_ error: any Error) -> String {
      do {
        throw error
      } catch let error as FirestoreDocuments.Error {
        return error.status.name
      } catch is Closed {
        return "closed"
      } catch {
        return "other"
      }
    }
    #expect(fail(FirestoreDocuments.Error(.dataLoss, "m")) == "DATA_LOSS")
    #expect(fail(Closed()) == "closed")
    #expect(fail(CancellationError()) == "other")
    #expect(FirestoreError(.aborted, "").errorDescription == "ABORTED")
    let failure = DocumentFailure(name: "c/d", index: 0, location: ["n"], reason: "r")
    #expect((failure as any Error).localizedDescription == "c/d: n: r")
  }
}

@Suite("Times of typed documents", .bothParsers)
struct DocumentTimesTests {
  private struct Visit: Codable {
    var begin: TimestampValue
    var end: TimestampValue?
  }

  private struct PlainVisit: Codable {
    var begin: Date
    var end: Date?
  }

  private let json = Data(
    """
    {"name":"projects/p/databases/d/documents/visits/v1","createTime":"2026-01-02T03:04:05.123456789Z",
    "updateTime":"2026-01-02T03:04:06Z","fields":{"begin":{"timestampValue":"2026-01-02T03:04:05.123456Z"}}}
    """.utf8
  )

  @Test("A time is exact as a Timestamp, and a Date where that is asked for.")
  func bothForms() throws {
    // 2026-01-02T03:04:05Z, of `date -u -d ... +%s`.
    let seconds: Int64 = 1_767_323_045
    let result: Result<Document<Visit>, FirestoreError> = try JSONDecoder().decodeGetResult(from: json)
    let visit = try result.get()
    #expect(visit.createTime == Timestamp(seconds: seconds, nanoseconds: 123_456_789))
    #expect(abs(visit.createDate.timeIntervalSince1970 - (Double(seconds) + 0.123456789)) < 1e-6)
    #expect(visit.updateDate == Date(timeIntervalSince1970: Double(seconds) + 1))
    let dates: [Date] = [visit.createTime, visit.updateTime]
    #expect(dates == [visit.createDate, visit.updateDate])
    #expect(visit.updateTime.timeIntervalSince1970 == Double(seconds) + 1)
    let begin: Timestamp = visit.begin
    #expect(begin == Timestamp(seconds: seconds, nanoseconds: 123_456_000))
    #expect(Timestamp(visit.begin.date) == begin)
    #expect(visit.end == nil)

    let plain: Result<Document<PlainVisit>, FirestoreError> = try JSONDecoder().decodeGetResult(from: json)
    let date: Date = try plain.get().begin
    #expect(Timestamp(date) == begin)
    #expect(try FirestoreEncoder().encode(plain.get().fields) == ["begin": .timestamp(begin)])
  }

  /// A type of an app's own, whose times are dates and which has its fields only in part.
  private struct OwnDocument<Fields: Decodable>: DocumentType {
    let name: String
    let fields: Fields
    let createTime: Date
    let updateTime: Date
  }

  @Test("A type of one's own is decoded from a response, and from an untyped document.")
  func ownType() throws {
    let result: Result<OwnDocument<Visit>, FirestoreError> = try JSONDecoder().decodeGetResult(from: json)
    let visit = try result.get()
    #expect(visit.name == "projects/p/databases/d/documents/visits/v1")
    #expect(visit.updateTime == Date(timeIntervalSince1970: 1_767_323_046))
    #expect(visit.begin.description == "2026-01-02T03:04:05.123456Z")
    let untyped = RawDocument(
      path: try #require(DocumentPath("visits/v1")),
      fields: ["begin": .timestamp(visit.begin)],
      createTime: Timestamp(visit.createTime),
      updateTime: Timestamp(visit.updateTime)
    )
    let again = try OwnDocument<Visit>(decoding: untyped)
    #expect(again.name == "visits/v1" && again.updateTime == visit.updateTime && again.begin == visit.begin)
  }

  @Test("A document without a time is refused with the place of the time.")
  func missingTime() throws {
    let entry = #"{"name":"visits/v1","updateTime":"2026-01-02T03:04:06Z","fields":{}}"#
    let data = Data(#"{"documents":[\#(entry)]}"#.utf8)
    let list: Result<DocumentList<OwnDocument<FieldMap>>, FirestoreError> =
      try JSONDecoder().decodeListResult(from: data)
    #expect(try list.get().failures.map(\.location) == [["createTime"]])
    let error = #expect(throws: DecodingError.self) {
      let _: Result<[Document<FieldMap>], FirestoreError> = try JSONDecoder().decodeListResult(from: data)
    }
    guard case .keyNotFound(_, let context)? = error else {
      Issue.record(error ?? Missing())
      return
    }
    #expect(context.codingPath.map(\.stringValue) == ["documents", "[0]", "createTime"])
  }

  private struct Missing: Error {}

  @Test("Both protocols describe what their names say.")
  func protocols() throws {
    func dates(_ document: some DocumentType) -> [Date] { [document.createTime, document.updateTime] }
    func times(_ document: some ExactTimes) -> [Timestamp] { [document.createTime, document.updateTime] }
    func fields<D: FieldsOnlyDocumentType>(_ document: D) -> D.Fields { document.fields }
    let result: Result<Document<Visit>, FirestoreError> = try JSONDecoder().decodeGetResult(from: json)
    let visit = try result.get()
    #expect(times(visit).map(\.description).last == "2026-01-02T03:04:06Z")
    #expect(dates(visit) == times(visit).map(\.date))
    #expect(fields(visit).begin == fields(FieldsOnlyDocument(visit)).begin)
  }
}
