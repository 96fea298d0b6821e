import FirestoreDocuments
import Foundation
import Response

/// Types that a page defines, in place of the library's: what they say of a document is enough to decode one.
@main
struct Definitions {
  struct AppFields: Decodable {
    var index: IntegerValue
    var displayName: StringValue
  }

  static func main() throws {
    let data = Data(response.utf8)
    let apps: Result<[Document<AppFields>], FirestoreError> = try JSONDecoder().decodeListResult(from: data)
    for app in try apps.get() {
      let created: Date = app.createTime
      print(app.name, app.displayName, created.timeIntervalSince1970)
    }
    let drafts: Result<[FieldsOnlyDocument<AppFields>], FirestoreError> =
      try JSONDecoder().decodeListResult(from: data)
    for draft in try drafts.get() { print(draft.index) }

    let body = Data(#"{"error": {"code": 404, "message": "Gone.", "status": "NOT_FOUND"}}"#.utf8)
    let errors = try JSONDecoder().decode([String: Error].self, from: body)
    let library = try JSONDecoder().decode(FirestoreError.self, from: body)
    for error in errors.values {
      let status: String = library.status
      print(error.code == library.code, error.message == library.message, error.status == status)
    }
    print(Error.Code.notFound.rawValue == FirestoreError.Code.notFound.rawValue)
  }
}
