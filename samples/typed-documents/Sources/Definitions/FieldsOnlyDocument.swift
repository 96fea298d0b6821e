// swift-format-ignore-file
// As the page has it.
import FirestoreDocuments

public struct FieldsOnlyDocument<Fields>: FieldsOnlyDocumentType where Fields: Decodable {

  public var fields: Fields
}
