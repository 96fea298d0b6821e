// swift-format-ignore-file
// As the page has it.
import FirestoreDocuments
import Foundation

typealias App = Document<AppFields> // or FieldsOnlyDocument<AppFields>

struct AppFields: Decodable {

  var index: IntegerValue
  var identifier: StringValue
  var displayName: StringValue
  var iconURL: URLValue?
  var allowsContactMessages: BooleanValue
}
