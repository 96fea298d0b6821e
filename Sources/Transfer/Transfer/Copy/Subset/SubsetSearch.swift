/// Decides which documents belong to a subset.
///
/// It is a pure state machine that knows the names found so far, takes answers, and returns the next questions.
///
///     var search = SubsetSearch(maximum: 10_000) { references.references(of: $0) }
///     let questions = try search.take(path, by: search.edge(.root, "users"))
///     let answer = try search.take([document], to: question)    // which of them are new, and the questions they raise
struct SubsetSearch {
  /// Why documents are in the part.
  enum Way: String, Codable, Sendable {
    case root
    case inwards = "in"
    case outwards = "out"
    /// Above or below documents of the subset.
    case along
  }

  /// A reference that was followed, with the number of documents that it added.
  struct Edge: Sendable {
    let way: Way
    let name: String
    var documents = 0

    /// The name for messages.
    var label: String { way == .root ? "'\(name)'" : name }
  }

  /// A document to ask for.
  struct Question: Sendable, Equatable {
    let path: DocumentPath
    /// The number of the edge that led to it.
    let edge: Int
  }

  /// What is known of a name.
  private enum Knowledge: UInt8 {
    /// It is known to exist, and has not been read yet.
    case existing
    /// A document refers to it.
    case referred
    /// It is above a document of the subset.
    case above
    case found
    case missing
    /// It is above a document of the subset, and does not exist.
    case missingAbove
  }

  /// Why a subset is too large.
  enum Overflow: Error { case documents, names }

  /// The maximum number of known names, existing or not, because they are kept in memory.
  static let maximumNames = SubsetSettings.greatest * 3 / 2
  /// The maximum number of distinct edges, because fields whose names are data would be unlimited.
  static let maximumEdges = 1000

  private let maximum: Int
  /// Returns what a document refers to, as far as it is followed.
  private let references: @Sendable (RawDocument) -> [SubsetReferences.Reference]
  private var names: [KeyedHash: Knowledge] = [:]
  private var edgeNumbers: [UTF8Key: Int] = [:]
  private(set) var edges: [Edge] = []
  /// The number of documents that are known to exist.
  private(set) var documents = 0
  /// The number of referenced names that do not exist.
  private(set) var dangling = 0

  init(
    maximum: Int,
    references: @escaping @Sendable (RawDocument) -> [SubsetReferences.Reference]
  ) {
    (self.maximum, self.references) = (maximum, references)
  }

  /// The number of documents that the subset may still take.
  var left: Int { max(0, maximum - documents) }

  /// Returns the number of an edge, adding it if it is new.
  mutating func edge(_ way: Way, _ name: String) -> Int {
    let key = UTF8Key("\(way.rawValue) \(name)")
    if let number = edgeNumbers[key] { return number }
    let others = "(others)"
    if edges.count >= Self.maximumEdges, !name.isIdentical(to: others) { return edge(way, others) }
    edgeNumbers[key] = edges.count
    edges.append(Edge(way: way, name: name))
    return edges.count - 1
  }

  // MARK: Names

  /// Takes a document found by a query, which is a root or refers to one, and returns the questions that it raises.
  mutating func take(_ path: DocumentPath, by edge: Int) throws(Overflow) -> [Question] {
    let questions = try ask(path, edge, .existing)
    return edges[edge].way == .root ? questions : questions + (try askAbove(path))
  }

  /// Records that a document refers to another one, whose ancestors are included once it is known to exist.
  private mutating func refer(to path: DocumentPath, _ edge: Int) throws(Overflow) -> [Question] {
    let name = KeyedHash(path)
    switch names[name] {
    case nil: return try ask(path, edge, .referred)
    case .existing, .found: return try askAbove(path)
    case .above: names[name] = .referred
    case .missingAbove:
      names[name] = .missing
      dangling += 1
    case .referred, .missing: break
    }
    return []
  }

  private mutating func askAbove(_ path: DocumentPath) throws(Overflow) -> [Question] {
    var questions: [Question] = []
    for path in path.above { questions += try ask(path, edge(.along, "documents above"), .above) }
    return questions
  }

  private mutating func ask(
    _ path: DocumentPath,
    _ edge: Int,
    _ knowledge: Knowledge
  ) throws(Overflow) -> [Question] {
    let name = KeyedHash(path)
    if names[name] != nil { return [] }
    if names.count >= Self.maximumNames { throw .names }
    names[name] = knowledge
    if knowledge == .existing { try count(edge) }
    return [Question(path: path, edge: edge)]
  }

  // MARK: Answers

  /// Whether a question still has to be asked; the document may have been read along with one above it.
  func isOpen(_ question: Question) -> Bool { names[KeyedHash(question.path)] != .found }

  /// Takes the answer to a question, its document or those below it; returns those that are new, and the questions they
  /// raise.
  mutating func take(
    _ answer: [RawDocument],
    to question: Question
  ) throws(Overflow) -> (new: [DocumentPath], questions: [Question]) {
    var (new, questions): ([DocumentPath], [Question]) = ([], [])
    for document in answer {
      let known = names.updateValue(.found, forKey: KeyedHash(document.path))
      if known == .found { continue }
      new.append(document.path)
      if known != .existing {
        try count(document.path == question.path ? question.edge : edge(.along, "subcollections"))
      }
      if known == .referred { questions += try askAbove(document.path) }
      for reference in references(document) {
        questions += try refer(to: reference.path, edge(.outwards, reference.edge))
      }
    }
    return (new, questions)
  }

  /// Records that the document of a question does not exist.
  mutating func miss(_ question: Question) {
    let name = KeyedHash(question.path)
    switch names[name] {
    case .above: names[name] = .missingAbove
    case .referred:
      names[name] = .missing
      dangling += 1
    case .existing:
      // It was deleted after it was found, which happens if the present is read.
      names[name] = .missing
      documents -= 1
      edges[question.edge].documents -= 1
    default: return
    }
  }

  private mutating func count(_ edge: Int) throws(Overflow) {
    documents += 1
    edges[edge].documents += 1
    if documents > maximum { throw .documents }
  }
}

extension DocumentPath {
  /// The documents above it, nearest first.
  var above: [DocumentPath] { collection.parent.map { [$0] + $0.above } ?? [] }
}

/// Decides, by counts, which documents have so many references to them that they are not followed inwards.
///
/// References to several documents are counted together first; only if there are too many are they counted separately.
struct FanIn: Sendable {
  enum Verdict: Equatable {
    /// The references to the documents are to be followed.
    case follow
    /// The range is a single document, which is not followed.
    case hub
    /// Parts of the range are to be counted next.
    case divided
  }

  private let most: Int
  private var open: [Range<Int>]

  init(of documents: Int, width: Int, most: Int) {
    self.most = most
    open = stride(from: 0, to: documents, by: width).map { $0..<min(documents, $0 + width) }.reversed()
  }

  /// Returns the range of documents to count references to next; nil at the end.
  mutating func next() -> Range<Int>? { open.popLast() }

  mutating func take(_ count: Int, of range: Range<Int>) -> Verdict {
    if count <= most { return .follow }
    if range.count == 1 { return .hub }
    let middle = range.lowerBound + range.count / 2
    open += [middle..<range.upperBound, range.lowerBound..<middle]
    return .divided
  }
}
