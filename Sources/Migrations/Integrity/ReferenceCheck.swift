import Schema

/// The schema's rules over several documents: references, mutual links, and unique fields.
///
/// A reference into a collection that is read earlier is checked at once, any other once its collection has been read.
final class ReferenceCheck {
  /// A field that refers to documents.
  private struct Key {
    let collection: CollectionPath
    let field: FieldSchema
    let target: CollectionPath
    /// The number of the target collection.
    let targetNumber: Int
    /// The index of the key in the opposite direction.
    var mirror: Int?
  }

  private let database: DatabaseName?
  private var lookup: CollectionLookup
  private let spool: ReferenceSpool
  private let wantsReferences: Bool
  private let wantsUnique: Bool
  private var keys: [Key] = []
  private var keysOf: [Int: [Int]] = [:]
  /// The keys that others name as the opposite direction, whether or not they do so themselves.
  private var mirrors: Set<Int> = []
  /// The collections that others refer to.
  private var targets: Set<Int> = []
  private var uniques: [(collection: CollectionSchema, fields: [FieldPath])] = []
  private var finished: Set<Int> = []

  /// - Parameter database: The database of the documents; nil if not known, so that references may be to any.
  init(
    _ schema: DatabaseSchema,
    _ rules: Set<IntegrityRule>,
    in database: DatabaseName?
  ) throws(Failure) {
    self.database = database
    lookup = CollectionLookup(schema)
    spool = try ReferenceSpool()
    wantsReferences = !rules.isDisjoint(with: [.foreignKeyDangling, .linkNotMirrored])
    wantsUnique = rules.contains(.notUnique)
    for (own, collection) in schema.collections.enumerated() {
      for field in collection.fields {
        guard let reference = field.reference,
          let number = lookup.number(of: reference.collection)
        else { continue }
        keysOf[own, default: []].append(keys.count)
        keys.append(
          Key(
            collection: collection.pattern,
            field: field,
            target: reference.collection,
            targetNumber: number
          )
        )
        targets.insert(number)
      }
      for fields in collection.unique { uniques.append((collection, fields)) }
    }
    for index in keys.indices {
      guard let mirror = keys[index].field.reference?.mirror else { continue }
      keys[index].mirror = keys.firstIndex { $0.collection == keys[index].target && $0.field.path == mirror }
    }
    mirrors = Set(keys.compactMap(\.mirror))
  }

  /// Processes a page, and reports the broken references that can already be looked up.
  func take(_ page: [RawDocument], report: (_ index: Int, IntegrityFinding) throws -> Void) async throws {
    if wantsUnique { try await addUnique(page) }
    if !wantsReferences { return }
    var ids: [Int: [String]] = [:]
    var links: [ReferenceSpool.Reference] = []
    var later: [ReferenceSpool.Reference] = []
    var now: [(index: Int, reference: ReferenceSpool.Reference)] = []
    for (index, document) in page.enumerated() {
      guard let (own, collection) = lookup.find(document) else { continue }
      if targets.contains(own) { ids[own, default: []].append(document.path.id) }
      if !collection.covers(document.path) { continue }
      for number in keysOf[own] ?? [] {
        let key = keys[number]
        // A value of another type is reported by another rule.
        guard let value = document.fields[key.field.path], key.field.accepts(value),
          let target = id(in: value, of: key.target)
        else { continue }
        let isRoot = collection.pattern.parent == nil
        let reference = ReferenceSpool.Reference(
          field: number,
          id: isRoot ? document.path.id : document.path.string,
          collection: key.targetNumber,
          target: target,
          mirror: key.mirror
        )
        if isRoot, mirrors.contains(number) { links.append(reference) }
        if finished.contains(key.targetNumber) {
          now.append((index, reference))
        } else {
          later.append(reference)
        }
      }
    }
    for (number, ids) in ids { try await spool.add(ids, of: number) }
    try await spool.addLinks(links)
    try await spool.postpone(later)
    for (entry, answer) in zip(now, try await spool.answers(to: now.map(\.reference))) {
      try self.report(answer, entry.reference.field, page[entry.index].path, entry.reference.target) {
        try report(entry.index, $0)
      }
    }
  }

  /// Reports what is known once a root collection has been read entirely.
  func finish(_ collection: CollectionPath, report: (IntegrityFinding) throws -> Void) async throws {
    if let number = lookup.number(of: collection) { finished.insert(number) }
    if wantsReferences, let number = lookup.number(of: collection) {
      try await spool.forEachBroken(into: number) { field, id, target, answer in
        let key = keys[field]
        let path = key.collection.parent == nil ? DocumentPath(key.collection, id) : DocumentPath(id)
        if let path { try self.report(answer, field, path, target, report) }
      }
    }
    if !wantsUnique { return }
    for (index, unique) in uniques.enumerated() where unique.collection.pattern.root == collection {
      let names = unique.fields.map(\.description).joined(separator: ", ")
      try await spool.forEachDuplicate(of: index) { path, count in
        guard let path = DocumentPath(path) else { return }
        try report(
          IntegrityFinding(
            .notUnique,
            path,
            field: names,
            "The document is one of \(count) with the same \(names)."
          )
        )
      }
    }
  }

  private func report(
    _ answer: ReferenceSpool.Answer,
    _ index: Int,
    _ path: DocumentPath,
    _ target: String,
    _ report: (IntegrityFinding) throws -> Void
  ) throws {
    let key = keys[index]
    let field = key.field.path.description
    func finding(_ rule: IntegrityRule, _ message: String) -> IntegrityFinding {
      IntegrityFinding(rule, path, field: field, value: .string(target), message)
    }
    switch answer {
    case .found: return
    case .dangling:
      try report(
        finding(
          .foreignKeyDangling,
          DatabaseName.split(target) == nil
            ? "\(field) names a document that is not in \(key.target)."
            : "\(field) names a document of another database."
        )
      )
    case .notMirrored:
      try report(
        finding(
          .linkNotMirrored,
          "The document of \(key.target) that \(field) names does not name this one."
        )
      )
    }
  }

  private func addUnique(_ page: [RawDocument]) async throws {
    var entries: [(key: Int, value: [UInt8], path: String)] = []
    for document in page {
      let pattern = document.path.collection.pattern
      for (index, unique) in uniques.enumerated() where unique.collection.pattern == pattern {
        guard unique.collection.covers(document.path) else { continue }
        // A document without a usable value in one of the fields shares nothing; other rules report invalid values.
        let values = unique.fields.compactMap { unique.collection.usableValue($0, in: document.fields) }
        guard values.count == unique.fields.count else { continue }
        let json = JSONWriter.bytes { $0.array { list in for value in values { list.value(value.byWorth) } } }
        // Each subcollection has its own scope.
        let scope = Array(document.path.collection.string.utf8) + [0]
        entries.append((index, scope + json, document.path.string))
      }
    }
    try await spool.addUnique(entries)
  }

  /// Returns the ID that a reference contains: a non-empty text, or the last segment of a reference value.
  ///
  /// Returns the full name of a reference to another database, which is not the ID of any document here.
  private func id(in value: Value, of target: CollectionPath) -> String? {
    switch value {
    case .string(let id): return id.isEmpty ? nil : id
    case .reference(let name):
      guard let (of, path) = DatabaseName.split(name), database.map({ $0 == of }) ?? true else { return name }
      return path.collection == target ? path.id : path.string
    default: return nil
    }
  }
}

extension Value {
  /// The value with each whole double as an integer, so that numbers that filters take for equal are encoded alike.
  fileprivate var byWorth: Value {
    switch self {
    case .double(let number): Int64(exactly: number).map { .integer($0) } ?? self
    case .geoPoint(let point):
      .geoPoint(GeoPoint(latitude: point.latitude + 0, longitude: point.longitude + 0))
    case .array(let values): .array(values.map(\.byWorth))
    case .map(let fields):
      .map(FieldMap(fields.entries.map { FieldMap.Entry(name: $0.name, value: $0.value.byWorth) }))
    default: self
    }
  }
}
