import FirestoreModels
import Foundation
import Testing
import TypedDocuments

/// The fields of an app, as the seed's README declares them.
private struct AppFields: Codable, Equatable {
  var index: IntegerValue
  var identifier: StringValue
  var displayName: StringValue
  var iconURL: URLValue?
  var allowsContactMessages: BooleanValue
}

@Suite("Documents of apps, as their README uses them", .bothParsers)
struct AppDocumentsTests {
  private typealias App = Document<AppFields>

  private let icon = "https://res.cloudinary.com/voan/c_scale,w_288/apps/1324887522/icon.png"
  private let answer = Data(
    """
    {
      "documents": [
        {
          "createTime": "2019-11-26T09:13:39.969797Z",
          "fields": {
            "allowsContactMessages": { "booleanValue": false },
            "iconURL": { "stringValue": "https://res.cloudinary.com/voan/c_scale,w_288/apps/1324887522/icon.png" },
            "identifier": { "stringValue": "1324887522" },
            "index": { "integerValue": "4" },
            "displayName": { "stringValue": "GloryGuide" }
          },
          "name": "projects/xwift27/databases/(default)/documents/apps/1324887522",
          "updateTime": "2019-11-27T06:11:57.268984Z"
        },
        {
          "createTime": "2019-11-23T06:29:31.328113Z",
          "fields": {
            "allowsContactMessages": { "booleanValue": true },
            "identifier": { "stringValue": "1324889421" },
            "index": { "integerValue": "1" },
            "displayName": { "stringValue": "Chuon Nath Dictionary" }
          },
          "name": "projects/xwift27/databases/(default)/documents/apps/1324889421",
          "updateTime": "2019-11-27T06:11:40.956015Z"
        }
      ]
    }
    """.utf8
  )

  /// The decoder of the README, whose date format would lose the microseconds.
  private func readmeDecoder() -> JSONDecoder {
    let dateFormatter = DateFormatter()
    dateFormatter.calendar = Calendar(identifier: .iso8601)
    dateFormatter.locale = Locale(identifier: "en_US_POSIX")
    dateFormatter.timeZone = TimeZone(secondsFromGMT: 0)
    dateFormatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSSXXXXX"
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .formatted(dateFormatter)
    return decoder
  }

  @Test func list() throws {
    let listResult: Result<[App], FirestoreError> = try readmeDecoder().decodeListResult(from: answer)
    let apps = try listResult.get()
    try #require(apps.count == 2)
    #expect(apps[0].name == "projects/xwift27/databases/(default)/documents/apps/1324887522")
    #expect(apps[0].path?.string == "apps/1324887522")
    // 2019-11-26T09:13:39Z, of `date -u -d ... +%s`.
    #expect(apps[0].createTime == Timestamp(seconds: 1_574_759_619, nanoseconds: 969_797_000))
    #expect(apps[1].updateTime.description == "2019-11-27T06:11:40.956015Z")

    let index: Int = apps[0].index
    let identifier: String = apps[0].identifier
    let iconURL: URL? = apps[0].iconURL
    let allows: Bool = apps[0].allowsContactMessages
    #expect(index == 4)
    #expect(identifier == "1324887522")
    #expect(iconURL == URL(string: icon))
    #expect(allows == false)
    #expect(apps[0].fields.iconURL?.urlValue.host() == "res.cloudinary.com")
    #expect(apps[1].iconURL == nil)
    #expect(apps[1].displayName == "Chuon Nath Dictionary")
  }

  @Test func get() throws {
    let text = String(decoding: answer, as: UTF8.self)
    let start = try #require(text.range(of: "[")).upperBound
    let end = try #require(text.range(of: "},\n    {")).lowerBound
    let document = Data("\(text[start..<end])}".utf8)
    let getResult: Result<App, FirestoreError> = try readmeDecoder().decodeGetResult(from: document)
    switch getResult {
    case .success(let app): #expect(app.index == 4)
    case .failure(let error): Issue.record(error)
    }
    let fieldsOnly: Result<FieldsOnlyDocument<AppFields>, FirestoreError> =
      try JSONDecoder().decodeGetResult(from: document)
    #expect(try fieldsOnly.get().displayName == "GloryGuide")
    // A plain JSONDecoder, without the two result methods.
    let app = try JSONDecoder().decode(App.self, from: document)
    #expect(try app == getResult.get())
    #expect(try JSONDecoder().decode(FieldsOnlyDocument<AppFields>.self, from: document) == fieldsOnly.get())
  }

  @Test func writing() throws {
    var app = FieldsOnlyDocument(
      fields: AppFields(index: 4, identifier: "1", displayName: "Guide", allowsContactMessages: false)
    )
    app.index = 1
    app.iconURL = URL(string: icon)
    app.allowsContactMessages = true
    app.displayName += "!"
    #expect(app.fields.index.integerValue == 1)
    #expect(app.fields.iconURL?.urlValue.absoluteString == icon)
    let expected: FieldMap = [
      "index": .integer(1), "identifier": .string("1"), "displayName": .string("Guide!"),
      "iconURL": .string(icon), "allowsContactMessages": .boolean(true),
    ]
    #expect(try app.encoded() == expected)

    app.iconURL = nil
    #expect(app.iconURL == nil)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    #expect(
      String(decoding: try encoder.encode(app), as: UTF8.self)
        == #"{"fields":{"allowsContactMessages":{"booleanValue":true},"displayName":{"stringValue":"Guide!"},"#
        + #""identifier":{"stringValue":"1"},"index":{"integerValue":"1"}}}"#
    )
  }

  @Test func untypedAndBack() throws {
    let list: Result<[App], FirestoreError> = try JSONDecoder().decodeListResult(from: answer)
    let app = try #require(try list.get().first)
    let raw = try app.encoded()
    #expect(raw.path.string == "apps/1324887522")
    #expect(raw.fields["index"] == .integer(4))
    #expect(raw.updateTime == app.updateTime)
    let database = DatabaseName(project: "xwift27")
    #expect(try App(decoding: raw, in: database) == app)
    #expect(try App(decoding: raw).name == "apps/1324887522")
    #expect(try FieldsOnlyDocument<AppFields>(decoding: raw.fields) == FieldsOnlyDocument(app))
    #expect(throws: DecodingError.self) { try App(decoding: RawDocument(path: raw.path, fields: raw.fields)) }
    #expect(try JSONDecoder().decode(App.self, from: JSONEncoder().encode(app)) == app)
  }

  @Test func readingNeedsNoEncodable() throws {
    struct Fields: Decodable {
      var index: IntegerValue
      var iconURL: URLValue?
    }
    let list: Result<[FieldsOnlyDocument<Fields>], FirestoreError> = try JSONDecoder().decodeListResult(
      from: answer
    )
    var app = try #require(try list.get().last)
    app.iconURL = URL(string: icon)
    app.index += 1
    #expect(app.iconURL?.absoluteString == icon)
    #expect(app.fields.index == 2)
  }

  @Test func anyFields() throws {
    let list: Result<[Document<FieldMap>], FirestoreError> = try JSONDecoder().decodeListResult(from: answer)
    #expect(try list.get().map { $0.fields.count } == [5, 4])
    #expect(try list.get()[1].fields["index"] == .integer(1))
  }

  @Test func namesAreBytes() throws {
    // Names are equal if their bytes are.
    let moment = try #require(Timestamp(seconds: 0))
    let composed = Document(name: "c/\u{E9}", fields: FieldMap(), createTime: moment, updateTime: moment)
    let decomposed = Document(name: "c/e\u{301}", fields: FieldMap(), createTime: moment, updateTime: moment)
    #expect(composed != decomposed)
    #expect(composed == composed)
  }
}
