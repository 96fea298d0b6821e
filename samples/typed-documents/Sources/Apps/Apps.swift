import FirestoreDocuments
import Foundation

/// A document of `apps`, as a response has it.
typealias App = Document<AppFields>

/// The fields of an app.
struct AppFields: Codable {
  var index: IntegerValue
  var identifier: StringValue
  var displayName: StringValue
  var iconURL: URLValue?
  var allowsContactMessages: BooleanValue
  var releasedAt: TimestampValue?
}

/// The same app as a plain struct.
struct PlainApp: Codable {
  @DocumentID var id: String?
  var displayName: String
  var index: Int
  var releasedAt: Date?
}

/// An error of this program: `Error` is Swift's own beside the library's.
struct EmptyList: Error {}

/// Returns the first document of a list.
func first(_ apps: [App]) throws -> App {
  guard let app = apps.first else { throw EmptyList() }
  return app
}

/// Decodes, changes and encodes the documents of ``Responses``.
@main
struct Apps {
  static func main() throws {
    try readList()
    try readDocument()
    try readErrors()
    try write()
  }

  static func readList() throws {
    print("# list")
    let listResult: Result<[App], FirestoreDocuments.Error> =
      try JSONDecoder().decodeListResult(from: Data(Responses.list.utf8))
    switch listResult {
    case .success(let apps):
      for app in apps {
        print(app.index, app.identifier, app.displayName, app.allowsContactMessages)
        print("  icon:", app.iconURL?.lastPathComponent ?? "none")
        print("  created:", app.createTime)
      }
    case .failure(let error): print(error)
    }

    let page: Result<DocumentList<App>, FirestoreDocuments.Error> =
      try JSONDecoder().decodeListResult(from: Data(Responses.damagedList.utf8))
    print("good:", try page.get().documents.map(\.displayName))
    for failure in try page.get().failures { print("bad:", failure) }
  }

  static func readDocument() throws {
    print("# get")
    let getResult: Result<App, FirestoreDocuments.Error> =
      try JSONDecoder().decodeGetResult(from: Data(Responses.document.utf8))
    let app = try getResult.get()
    let release: Timestamp? = app.releasedAt
    print(app.path?.id ?? "no ID", app.displayName, release?.description ?? "not released")
    print("the exact update time is kept:", app.updateTime)
    print("as a date:", app.updateDate.timeIntervalSince1970.rounded())

    let plain: Result<Document<PlainApp>, FirestoreDocuments.Error> =
      try JSONDecoder().decodeGetResult(from: Data(Responses.document.utf8))
    let fields = try plain.get().fields
    print(fields.id ?? "no ID", fields.index, fields.releasedAt?.timeIntervalSince1970 ?? 0)
  }

  static func readErrors() throws {
    print("# errors")
    let getResult: Result<App, FirestoreDocuments.Error> =
      try JSONDecoder().decodeGetResult(from: Data(Responses.error.utf8))
    if case .failure(let error) = getResult {
      print(error.code, error.status, error.message)
      print(error.status == FirestoreDocuments.Error.Code.notFound, error.status.rawValue)
      let localized: any Error = error
      print(localized.localizedDescription)
    }
    let decoded = try JSONDecoder().decode(FirestoreDocuments.Error.self, from: Data(Responses.error.utf8))
    do {
      throw decoded
    } catch let error as FirestoreDocuments.Error {
      print("caught", error.status.name)
    }
    do {
      _ = try first([])
    } catch is EmptyList {
      print("caught an error of Swift")
    }
  }

  static func write() throws {
    print("# create and patch")
    var app = FieldsOnlyDocument(
      fields: AppFields(
        index: 7,
        identifier: "3155002",
        displayName: "Tide Almanac",
        allowsContactMessages: false
      )
    )
    app.index = 1
    app.displayName += " 2"
    app.iconURL = URL(string: "https://example.org/icons/3155002.png")
    app.allowsContactMessages = true
    app.releasedAt = Timestamp("2026-03-01T08:00:00.000001Z")
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(app), as: UTF8.self))
    app.iconURL = nil
    print("without an icon:", try app.encoded().entries.map(\.name))
  }
}
