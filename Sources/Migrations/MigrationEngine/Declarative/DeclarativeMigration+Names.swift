import Schema

extension DeclarativeMigration {
  /// What the schema does not know of the names in the steps, as sentences: fields that they take, and fields that they make or
  /// remove which are spelled almost as a declared one.
  ///
  /// Those of the filters are said with the reads.
  package var unknownNames: [String] {
    let declared = scope.declared(in: schema)
    let (taken, made) = (takenFields, Set(steps.flatMap(\.writes)))
    return declared.hints(of: taken) + declared.hints(of: made.subtracting(taken), onlyNear: true)
  }

  /// The names that are probably misspelt, as sentences: almost as one that the schema declares.
  package var misspeltNames: [String] {
    let declared = scope.declared(in: schema)
    let collection =
      scope.isGroup ? schema.hint(ofGroup: scope.collection.id) : schema.hint(of: scope.collection)
    let fields = filteredFields.union(takenFields).union(steps.flatMap(\.writes))
    return (collection.map { [$0] } ?? []) + declared.hints(of: fields, onlyNear: true)
  }

  /// The fields that steps take and no step before them makes.
  private var takenFields: Set<FieldPath> {
    var (taken, made): (Set<FieldPath>, Set<FieldPath>) = ([], filteredFields)
    for step in steps {
      taken.formUnion(step.takes.filter { !made.contains($0) })
      made.formUnion(step.writes)
    }
    return taken
  }

  /// Which fields the steps write that the schema lets no two documents share, as sentences: each document is changed by itself,
  /// so that only a check afterwards sees two that have become the same.
  package var uniqueHints: [String] {
    let made = steps.flatMap(\.makes)
    return scope.declared(in: schema).compactMap { collection in
      let fields = collection.unique.filter { fields in
        fields.contains { field in made.contains { $0.isPrefix(of: field) || field.isPrefix(of: $0) } }
      }
      if fields.isEmpty { return nil }
      let list = fields.map { $0.map(\.description).joined(separator: " with ") }.joined(separator: ", ")
      return
        "The schema lets no two documents of \(collection.pattern) share \(list), and the steps compare none: 'gymmigrate check --rule not-unique' says afterwards whether two do."
    }
  }

  /// The fields that its filters are about.
  package var filteredFields: Set<FieldPath> { Set(scope.filters.flatMap(\.fields)) }
}

extension MigrationStep {
  /// The fields that it may give another value, and not only remove.
  fileprivate var makes: [FieldPath] {
    switch self {
    case .unset: []
    case .move(_, let target, _): [target]
    default: writes
    }
  }

  /// The fields whose values it takes.
  fileprivate var takes: [FieldPath] {
    switch self {
    case .convert(let field, _, _), .rewrite(let field, _), .map(let field, _, _): [field]
    case .copy(let source, _, _), .move(let source, _, _), .split(let source, _, _, _, _): [source]
    case .join(let sources, _, _, _): sources
    case .set, .setIfMissing, .unset, .softDelete, .hardDelete, .run: []
    }
  }
}

extension DeclarativeMigration {
  /// Notes the values that are set in place of one of another type, in fields whose type the schema does not say.
  func typeChanges(
    _ fields: FieldMap,
    of document: RawDocument,
    _ collection: CollectionSchema?
  ) -> [Finding] {
    steps.compactMap { step in
      guard case .set(let field, _) = step, collection?.field(field)?.types.isEmpty ?? true,
        let old = document.fields[field], let new = fields[field], !old.isNull, !new.isNull,
        old.typeName != new.typeName
      else { return nil }
      return Finding(
        .note,
        path: document.path,
        code: Code.typeChanged.rawValue,
        field: field.description,
        found: old,
        message: "\(field) is \(old.typeName), and becomes \(new.typeName)."
      )
    }
  }
}
