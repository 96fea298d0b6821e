import FirestoreModels
import FirestoreREST
import Testing

@testable import MigrationEngine

/// Documents in memory, told in the order of their names.
struct CatalogueSource: DocumentSource {
  var documents: [RawDocument]

  func forEachDocument(
    matching read: CollectionRead,
    _ body: (RawDocument) async throws -> Void
  ) async throws {
    let own = documents.filter { document in
      let isThere =
        read.reach == .group
        ? document.path.collection.id == read.collection.id : document.path.collection == read.collection
      return isThere && read.filter.map { DocumentFilter($0).matches(document) } ?? true
    }
    for document in own.sorted(by: { $0.path < $1.path }) {
      try await body(document)
    }
  }
}

/// What was told, in order.
actor CatalogueSink: PlanSink {
  private(set) var told: [(path: DocumentPath, outcome: Outcome)] = []

  /// What was told of documents that are not there.
  private(set) var strays: [Finding] = []

  func record(_ outcome: Outcome, of document: RawDocument) {
    told.append((document.path, outcome))
  }

  func record(_ finding: Finding) {
    strays.append(finding)
  }
}

/// A plan of a migration over documents in memory.
func told(
  _ migration: any Migration,
  over documents: [RawDocument]
) async throws -> [(path: DocumentPath, outcome: Outcome)] {
  let sink = CatalogueSink()
  try await migration.plan(from: CatalogueSource(documents: documents), into: sink)
  return await sink.told
}

/// A document of a collection, last changed one second after it was made.
func document(_ path: String, _ fields: FieldMap, created seconds: Int64? = 1_000) throws -> RawDocument {
  RawDocument(
    path: try #require(DocumentPath(path)),
    fields: fields,
    createTime: seconds.flatMap { Timestamp(seconds: $0) },
    updateTime: seconds.flatMap { Timestamp(seconds: $0 + 1) }
  )
}

/// A moment that the service might have set.
func serverTime() throws -> Value {
  .timestamp(try #require(Timestamp(seconds: 2_000_000_000)))
}

/// Texts as fields.
func texts(_ fields: KeyValuePairs<String, String>) -> FieldMap {
  FieldMap(fields.map { FieldMap.Entry(name: $0.key, value: .string($0.value)) })
}

extension Outcome {
  var change: Change? {
    if case .change(let change) = action { change } else { nil }
  }
}

/// The service's own way with a write, for documents in memory.
enum WriteApplier {
  struct Refused: Error {}

  /// The fields after a write, nil where there is no document then.
  static func apply(_ write: Write, to stored: RawDocument?, at now: Value) throws -> FieldMap? {
    switch write.precondition {
    case .exists(let exists)?: if exists != (stored != nil) { throw Refused() }
    case .updateTime(let time)?: if stored?.updateTime != time { throw Refused() }
    case nil: break
    }
    guard case .update(let fields, let mask) = write.operation else { return nil }
    var out = FieldMap()
    if let mask {
      out = stored?.fields ?? FieldMap()
      for path in mask { out[path] = fields[path] }
    } else {
      out = fields
    }
    for transform in write.transforms {
      guard transform.operation == .requestTime else { throw Refused() }
      out[transform.field] = now
    }
    return out
  }
}
