import Schema

/// Finds the schema of each document of a page, caching the last result because documents of a collection are consecutive.
struct CollectionLookup {
  private let schema: DatabaseSchema
  private let numbers: [CollectionPath: Int]
  private var last: (path: CollectionPath, answer: (number: Int, schema: CollectionSchema)?)?

  init(_ schema: DatabaseSchema) {
    self.schema = schema
    numbers = Dictionary(
      schema.collections.enumerated().map { ($0.element.pattern, $0.offset) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  func number(of pattern: CollectionPath) -> Int? { numbers[pattern] }

  /// Returns the schema of a document's collection and its number; nil if undeclared.
  mutating func find(_ document: RawDocument) -> (number: Int, schema: CollectionSchema)? {
    let path = document.path.collection
    if let last, last.path == path { return last.answer }
    let answer = (numbers[path] ?? numbers[path.pattern]).map { ($0, schema.collections[$0]) }
    last = (path, answer)
    return answer
  }
}
