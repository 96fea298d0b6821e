import FirestoreModels
import Foundation
import LocalFirestore
import MigrationEngine
import RunSupport
import TestSupport
import Testing

@testable import FirestoreREST

/// Random documents and filters, judged by three: an evaluator that was written from the service's documentation alone,
/// the embedded store, and what evaluates filters on the client (fix, delete, patterns).
@Suite(.timeLimit(.minutes(60))) struct FilterDifferentialTests {
  private static let database = DatabaseName(
    project: FilterGenerator.project,
    database: FilterGenerator.database
  )
  private static let documentsPerBatch = 25
  private static let filtersPerBatch = 50

  /// How many pairs of a document and a filter are judged: 100,000, or what the variable says.
  private static var batches: Int {
    let pairs = ProcessInfo.processInfo.environment["GYMMIGRATE_FILTER_PAIRS"].flatMap { Int($0) } ?? 100_000
    return (pairs + documentsPerBatch * filtersPerBatch - 1) / (documentsPerBatch * filtersPerBatch)
  }

  private static var firstSeed: UInt64 {
    ProcessInfo.processInfo.environment["GYMMIGRATE_FILTER_SEED"].flatMap { UInt64($0) } ?? 1
  }

  @Test("Every filter selects the same documents, whoever evaluates it.")
  func selection() async throws {
    var selected = 0
    var texts = 0
    for batch in 0..<Self.batches {
      let seed = Self.firstSeed + UInt64(batch)
      let found = try await Self.judge(seed: seed)
      selected += found.selected
      texts += found.texts
    }
    // A generator that selects nothing, or writes no texts, would test nothing.
    #expect(selected > Self.batches * Self.documentsPerBatch * Self.filtersPerBatch / 10)
    #expect(texts > Self.batches * Self.filtersPerBatch / 2)
  }

  private static func judge(seed: UInt64) async throws -> (selected: Int, texts: Int) {
    var generator = FilterGenerator(seed: seed)
    let references = generator.documents(documentsPerBatch)
    let documents = try references.map { try #require($0.document(in: database)) }
    let filters = (0..<filtersPerBatch).map { _ in generator.filter() }
    let collection = try #require(CollectionPath(generator.collection.pathText))
    return try await LocalFirestoreServer.withServer(dataFile: nil) { server in
      let client = client(of: server)
      let writes = documents.map {
        PendingWrite(Write(path: $0.path, operation: .update(fields: $0.fields, mask: nil)), in: database)
      }
      _ = try await client.commitOnce(writes.map(\.json), timeout: 60)
      var (selected, texts) = (0, 0)
      for (index, generated) in filters.enumerated() {
        let what = Comment(
          rawValue: "seed \(seed), filter \(index): \(generated.text ?? "\(generated.filter)")"
        )
        let filter = try #require(generated.filter.filter(in: database), what)
        if let text = generated.text {
          texts += 1
          try expect(text, means: filter, isRefused: generated.filter.refusal != nil, what)
        }
        var read = CollectionRead(collection, mask: [.documentName])
        read.filter = filter
        guard generated.filter.refusal == nil else {
          #expect(filter.violation != nil || filter.holdsNull, what)
          continue
        }
        let expected = references.indices.filter { generated.filter.selects(references[$0], nan: .unordered) }
        let names = Set(expected.map { documents[$0].path })
        selected += names.count
        #expect(filter.violation == nil, what)
        let mine = DocumentFilter(filter)
        #expect(Set(documents.filter { mine.matches($0) }.map(\.path)) == names, what)
        let scope = DeclarativeMigration.Scope(collection, filters: [filter])
        #expect(Set(documents.filter { scope.contains($0) }.map(\.path)) == names, what)
        #expect(try await paths(of: read, client) == names, what)
        #expect(try await client.count(read).count == names.count, what)
        if collection.parent != nil {
          var pattern = CollectionRead(collection.pattern, mask: [.documentName])
          pattern.reach = .pattern
          pattern.filter = filter
          #expect(try await paths(of: pattern, client) == names, what)
        }
      }
      return (selected, texts)
    }
  }

  /// What is typed is what was meant, or is refused.
  private static func expect(
    _ text: String,
    means filter: StructuredQuery.Filter,
    isRefused: Bool,
    _ what: Comment
  ) throws {
    let context = LiteralContext(database: database)
    if isRefused {
      #expect(throws: WireError.self, what) { try FilterExpression.parse(text, in: context) }
    } else {
      let parsed = try? FilterExpression.parse(text, in: context)
      #expect(parsed == filter, what)
    }
  }

  private static func paths(
    of read: CollectionRead,
    _ client: FirestoreClient
  ) async throws -> Set<DocumentPath> {
    var paths: Set<DocumentPath> = []
    var count = 0
    for try await page in client.pages(of: read) {
      count += page.count
      paths.formUnion(page.map(\.path))
    }
    #expect(count == paths.count)
    return paths
  }

  private static func client(of server: LocalFirestoreServer) -> FirestoreClient {
    return FirestoreClient.testing(server.endpoint, database: database)
  }

  @Test("A bare word that looks like something else is refused, and any other is text.")
  func bareWords() throws {
    let context = LiteralContext(database: Self.database)
    for seed in 0..<200 as Range<UInt64> {
      var generator = FilterGenerator(seed: seed)
      for _ in 0..<50 {
        let refused = generator.refusedLiteral()
        #expect(throws: WireError.self, "\(refused)") { try ValueLiteral.parse(refused, in: context) }
        let word = generator.acceptedBareWord()
        let value = try? ValueLiteral.parse(word, in: context)
        #expect(value == .string(word), "\(word)")
      }
    }
  }
}

extension StructuredQuery.Filter {
  /// Whether an operand is null or holds one, which the grammar refuses and the wire knows.
  fileprivate var holdsNull: Bool {
    switch self {
    case .and(let filters), .or(let filters): filters.contains(where: \.holdsNull)
    case .field(_, let comparison, .array(let values)):
      comparison != .equal && comparison != .arrayContains && values.contains(where: \.isNull)
    case .field(_, _, let value): value.isNull
    case .unary: false
    }
  }
}
