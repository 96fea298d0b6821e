extension CollectionProfile {
  /// The schema that every profiled document satisfies.
  ///
  /// A field is required if every document has it. Texts without a reference have closed values if there are at most 10 in at
  /// least 20 documents, and a format if all of them have it. Numbers have the range that was found; times and lengths of texts
  /// get no range, because future documents would exceed it. What is inferred from names alone (`updatedAt`, `isActive`) is a
  /// proposal, to be reviewed. Personal data is left undeclared, so the collection is withheld.
  ///
  /// - Parameter references: The collections that fields refer to, if known.
  package func schema(references: [FieldPath: CollectionPath] = [:]) -> CollectionSchema {
    var declared: [FieldSchema] = []
    let idField = idField
    for field in fields {
      // Fields can only be declared below a field that is a map in every document.
      let parent = FieldPath(segments: Array(field.path.segments.dropLast()))
      if let parent, declared.first(where: { $0.path == parent })?.types != [.map] { continue }
      declared.append(Self.schema(of: field, references[field.path], isID: field.path == idField))
    }
    var schema = CollectionSchema(pattern, fields: declared)
    schema.idField = idField
    schema.documentID = documentID
    schema.createTime = Self.time(Self.createTimes, in: declared)
    schema.updateTime = Self.time(Self.updateTimes, in: declared)
    schema.softDelete = Self.softDelete(in: declared)
    schema.expectsUnknownFields = false
    schema.set(declared)
    return schema
  }

  private static func schema(of field: Field, _ reference: CollectionPath?, isID: Bool) -> FieldSchema {
    let profile = field.profile
    let types = profile.types.map(\.type)
    var schema = FieldSchema(field.path, types.contains(.double) ? types.filter { $0 != .integer } : types)
    schema.isRequired = field.isEverywhere && !isID
    if isID { return schema }
    if let reference, types == [.string] || types == [.reference] {
      schema.reference = FieldReference(collection: reference)
      schema.isIdentifier = true
    } else if let values = profile.closedValues {
      schema.values = values.map { .string($0.text) }
    } else if let format = profile.format {
      schema.format = format
      schema.isIdentifier = format == .digits || format == .phone
    }
    let isNumber = !types.isEmpty && types.allSatisfy { $0 == .integer || $0 == .double }
    if isNumber, let minimum = profile.minimum, let maximum = profile.maximum, isFinite(minimum),
      isFinite(maximum)
    {
      schema.range = ValueRange(minimum: minimum, maximum: maximum)
    }
    return schema
  }

  private static func isFinite(_ value: Value) -> Bool {
    if case .double(let number) = value { number.isFinite } else { true }
  }

  private var documentID: CollectionSchema.DocumentIDRule? {
    if hasLowercaseIDs, ids.hasFormat(.email) { return .email }
    if ids.hasFormat(.uuid) { return .uuid }
    return nil
  }

  private static let createTimes = ["createdAt", "created_at", "creationTime", "createTime", "dateCreated"]
  private static let updateTimes = [
    "updatedAt", "updated_at", "modifiedAt", "modified_at", "lastModified", "updateTime", "dateModified",
  ]
  /// Fields that mark a document as deleted, with their value in a deleted document.
  private static let softDeletes = [
    ("isActive", false), ("is_active", false), ("active", false), ("isDeleted", true), ("is_deleted", true),
    ("deleted", true), ("isArchived", true), ("archived", true),
  ]

  private static func time(_ names: [String], in fields: [FieldSchema]) -> CollectionSchema.TimeField? {
    let path = names.map { FieldPath(field: $0) }.first { path in
      fields.contains { $0.path == path && $0.types == [.timestamp] && $0.isRequired }
    }
    return path.map { CollectionSchema.TimeField(path: $0) }
  }

  private static func softDelete(in fields: [FieldSchema]) -> CollectionSchema.SoftDelete? {
    let mark = softDeletes.first { name, _ in
      fields.contains { $0.path == FieldPath(field: name) && $0.types == [.boolean] }
    }
    return mark.map { CollectionSchema.SoftDelete(path: FieldPath(field: $0), deleted: $1) }
  }
}
