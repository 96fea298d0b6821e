import FirestoreModels
import Schema

/// The fields of a collection with their rules, prepared for looking up each field of each document.
///
/// These are classes because a schema's values are expensive to copy.
final class MaskedCollection: Sendable {
  final class Field: Sendable {
    let schema: FieldSchema
    /// The rule; nil if none is declared or implied.
    let rule: MaskRule?
    /// Whether the field is left out, and whether it is only a structure, whose fields or elements have the rules.
    let isDropped, isStructure: Bool
    /// Whether fields within it are declared.
    let isParent: Bool
    /// The declared fields within it.
    let fields: [UTF8Key: Field]
    /// The declared elements of an array.
    let element: Field?
    /// The field without its bounds, which for an array are those of its length; nil if it has none.
    private let unbounded: Field?

    /// The declared fields and elements within it.
    var inner: [Field] { Array(fields.values) + (element.map { [$0] } ?? []) }

    /// The field as it applies to the elements of an array that are masked by the array's rule.
    var inArray: Field { unbounded ?? self }

    init(_ schema: FieldSchema, of collection: CollectionSchema, among declared: [FieldSchema]) {
      self.schema = schema
      rule = collection.maskRule(of: schema)
      isDropped = schema.mask?.kind == .drop
      isParent = declared.contains { $0.path != schema.path && schema.path.isPrefix(of: $0.path) }
      isStructure = isParent || collection.isStructure(schema)
      fields = Field.fields(below: schema.path.segments, declared, of: collection)
      element = schema.elements.first.map { Field($0, of: collection, among: schema.elements) }
      var free = schema
      (free.range.minimum, free.range.maximum, free.format) = (nil, nil, nil)
      let isFree = schema.range.isEmpty && schema.format == nil
      unbounded = isFree ? nil : Field(free, of: collection, among: declared)
    }

    /// Returns those declared fields that are directly below a path.
    fileprivate static func fields(
      below parent: [String],
      _ declared: [FieldSchema],
      of collection: CollectionSchema
    ) -> [UTF8Key: Field] {
      let below = declared.filter { field in
        field.path.segments.count == parent.count + 1
          && zip(field.path.segments, parent).allSatisfy { $0.isIdentical(to: $1) }
      }
      return Dictionary(
        below.map { (UTF8Key($0.path.segments[parent.count]), Field($0, of: collection, among: declared)) },
        uniquingKeysWith: { first, _ in first }
      )
    }
  }

  let schema: CollectionSchema
  /// The rule of the IDs; nil if none is declared or implied.
  let idRule: MaskRule?
  /// The declared fields at the top level.
  let fields: [UTF8Key: Field]

  init(_ schema: CollectionSchema, of database: DatabaseSchema) {
    self.schema = schema
    idRule = database.idRule(of: schema.pattern)
    fields = Field.fields(below: [], schema.fields, of: schema)
  }
}
