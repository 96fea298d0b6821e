import Schema

extension DeclarativeMigration {
  /// Hints about names in the steps that the schema does not know: fields that are read, and fields that are written or removed
  /// and whose names are close to a declared one; and about files of a program that are missing.
  ///
  /// Names in filters are reported with the reads.
  package var unknownNames: [String] {
    let declared = scope.declared(in: schema)
    let (taken, made) = (takenFields, Set(steps.flatMap(\.writes)))
    return declared.hints(of: taken) + declared.hints(of: made.subtracting(taken), onlyNear: true)
      + (program?.missingFiles ?? [])
  }

  /// Hints about names that are probably misspelt, because they are close to a declared one, or name no file of a program.
  package var misspeltNames: [String] {
    let declared = scope.declared(in: schema)
    let collection =
      scope.isGroup ? schema.hint(ofGroup: scope.collection.id) : schema.hint(of: scope.collection)
    let fields = filteredFields.union(takenFields).union(steps.flatMap(\.writes))
    return (collection.map { [$0] } ?? []) + declared.hints(of: fields, onlyNear: true)
      + (program?.missingFiles ?? [])
  }

  /// The fields that steps read and no earlier step writes.
  private var takenFields: Set<FieldPath> {
    var (taken, made): (Set<FieldPath>, Set<FieldPath>) = ([], filteredFields)
    for step in steps {
      taken.formUnion(step.takes.filter { !made.contains($0) })
      made.formUnion(step.writes)
    }
    return taken
  }

  /// Hints about written fields that must be unique according to the schema: each document is changed by itself, so that only a
  /// later check finds duplicates.
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

  /// The fields that its filters refer to.
  package var filteredFields: Set<FieldPath> { Set(scope.filters.flatMap(\.fields)) }
}

extension MigrationStep {
  /// The fields that the step may set, and not only remove.
  fileprivate var makes: [FieldPath] {
    switch self {
    case .unset: []
    case .move(_, let target, _): [target]
    default: writes
    }
  }

  /// The fields whose values the step reads.
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
  /// Returns notes about values that replace a value of another type, in fields whose type the schema does not declare.
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
      let message = "\(field) is \(old.typeName), and becomes \(new.typeName)."
      return .typeChanged(field, of: document.path, old, message)
    }
  }
}

extension Finding {
  /// A finding about a value that would be or has been replaced by one of another type.
  static func typeChanged(
    _ field: FieldPath,
    of path: DocumentPath,
    _ found: Value?,
    _ message: String,
    kind: Kind = .note
  ) -> Finding {
    let code = DeclarativeMigration.Code.typeChanged.rawValue
    return Finding(kind, path: path, code: code, field: field.description, found: found, message: message)
  }
}
