import FirestoreModels
import Schema

/// The fields of a collection with their rules, as they are looked up for each field of each document.
///
/// Classes, because a schema's values are large to copy.
final class MaskedCollection: Sendable {
  final class Field: Sendable {
    let schema: FieldSchema
    /// The rule; nil where nobody said what is to become of it.
    let rule: MaskRule?
    /// Whether fields within it are declared.
    let isParent: Bool

    init(_ schema: FieldSchema, of collection: CollectionSchema, among declared: [FieldSchema]) {
      self.schema = schema
      rule = collection.maskRule(of: schema)
      isParent = declared.contains { $0.path != schema.path && schema.path.isPrefix(of: $0.path) }
    }
  }

  let schema: CollectionSchema
  private let fields: [UTF8Key: Field]

  init(_ schema: CollectionSchema) {
    self.schema = schema
    var fields: [UTF8Key: Field] = [:]
    for field in schema.fields where field.path.segments.count == 1 {
      fields[UTF8Key(field.path.segments[0])] = Field(field, of: schema, among: schema.fields)
    }
    self.fields = fields
  }

  /// The declared field of a name that is in no map.
  func field(_ name: String) -> Field? { fields[UTF8Key(name)] }
}
