/// Decides which documents belong to a part: a pure state machine that knows the names that were met, takes answers, and says
/// what is to be asked next.
///
///     var search = SubsetSearch(maximum: 10_000) { references.references(of: $0) }
///     let questions = try search.take(path, by: search.edge(.root, "users"))
///     let answer = try search.take([document], to: question)    // which of them are new, and what they lead to
struct SubsetSearch {
  /// Why documents are in the part.
  enum Way: String, Codable, Sendable {
    case root
    case inwards = "in"
    case outwards = "out"
    /// Above or below documents that are in it.
    case along
  }

  /// A reference that was followed, and how many documents it brought.
  struct Edge: Sendable {
    let way: Way
    let name: String
    var documents = 0

    /// The name in messages.
    var label: String { way == .root ? "'\(name)'" : name }
  }

  /// A document to ask for.
  struct Question: Sendable, Equatable {
    let path: DocumentPath
    /// The number of the edge that leads to it.
    let edge: Int
  }

  /// What is known of a name.
  private enum Knowledge: UInt8 {
    /// It is known to exist, and is not read yet.
    case existing
    /// A document refers to it.
    case referred
    /// It is above a document of the part.
    case above
    case found
    case missing
    /// It is above a document of the part, and does not exist.
    case missingAbove
  }

  /// A part that is too large.
  enum Overflow: Error { case documents, names }

  /// The most names that are known, existing or not: they are in memory.
  static let maximumNames = SubsetSettings.greatest * 3 / 2
  /// The most edges that are told apart; fields whose names are data would have no end.
  static let maximumEdges = 1000

  private let maximum: Int
  /// Returns what a document refers to, as far as that is followed.
  private let references: @Sendable (RawDocument) -> [SubsetReferences.Reference]
  private var names: [NameDigest: Knowledge] = [:]
  private var edgeNumbers: [UTF8Key: Int] = [:]
  private(set) var edges: [Edge] = []
  /// The documents that are known to exist.
  private(set) var documents = 0
  /// The names that documents refer to and that do not exist.
  private(set) var dangling = 0

  init(
    maximum: Int,
    references: @escaping @Sendable (RawDocument) -> [SubsetReferences.Reference]
  ) {
    (self.maximum, self.references) = (maximum, references)
  }

  /// How many documents the part may still take.
  var left: Int { max(0, maximum - documents) }

  /// Returns the number of an edge.
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

  /// Takes a document that a query gave, a root or what refers to one, and returns what is to be asked.
  mutating func take(_ path: DocumentPath, by edge: Int) throws(Overflow) -> [Question] {
    let questions = try ask(path, edge, .existing)
    return edges[edge].way == .root ? questions : questions + (try askAbove(path))
  }

  /// Takes that a document refers to another one; what is above that comes along once it is known to exist.
  private mutating func refer(to path: DocumentPath, _ edge: Int) throws(Overflow) -> [Question] {
    let name = NameDigest(path)
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
    let name = NameDigest(path)
    if names[name] != nil { return [] }
    if names.count >= Self.maximumNames { throw .names }
    names[name] = knowledge
    if knowledge == .existing { try count(edge) }
    return [Question(path: path, edge: edge)]
  }

  // MARK: Answers

  /// Whether a question still has to be asked: a document may have come with one above it.
  func isOpen(_ question: Question) -> Bool { names[NameDigest(question.path)] != .found }

  /// Takes the document of a question, or others that are below it, and returns which are new, and what is to be asked.
  mutating func take(
    _ answer: [RawDocument],
    to question: Question
  ) throws(Overflow) -> (new: [DocumentPath], questions: [Question]) {
    var (new, questions): ([DocumentPath], [Question]) = ([], [])
    for document in answer {
      let known = names.updateValue(.found, forKey: NameDigest(document.path))
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

  /// Takes that the document of a question does not exist.
  mutating func miss(_ question: Question) {
    let name = NameDigest(question.path)
    switch names[name] {
    case .above: names[name] = .missingAbove
    case .referred:
      names[name] = .missing
      dangling += 1
    case .existing:
      // Deleted since, where the present is read.
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

/// A hash of 128 bits that stands for a name, with a key that is drawn for each process (SipHash): among a million names, the
/// probability that any two are taken for one is below 2^-88.
private struct NameDigest: Hashable {
  let halves: (UInt64, UInt64)

  init(_ path: DocumentPath) {
    func half(_ number: UInt8) -> UInt64 {
      var hasher = Hasher()
      hasher.combine(number)
      path.hash(into: &hasher)
      return UInt64(bitPattern: Int64(hasher.finalize()))
    }
    halves = (half(0), half(1))
  }

  static func == (a: NameDigest, b: NameDigest) -> Bool { a.halves == b.halves }

  func hash(into hasher: inout Hasher) { hasher.combine(halves.0) }
}

extension DocumentPath {
  /// The documents above it, the nearest first.
  var above: [DocumentPath] { collection.parent.map { [$0] + $0.above } ?? [] }
}

/// Decides by counts which documents so many refer to that they are not followed inwards: of several the sum is counted
/// first, and only where that is too much each.
struct FanIn: Sendable {
  enum Verdict: Equatable {
    /// What refers to the documents is to be read.
    case follow
    /// The one document is not followed.
    case hub
    /// Parts of the range are asked for next.
    case divided
  }

  private let most: Int
  private var open: [Range<Int>]

  init(of documents: Int, width: Int, most: Int) {
    self.most = most
    open = stride(from: 0, to: documents, by: width).map { $0..<min(documents, $0 + width) }.reversed()
  }

  /// Returns the documents whose references are to be counted next; nil at the end.
  mutating func next() -> Range<Int>? { open.popLast() }

  mutating func take(_ count: Int, of range: Range<Int>) -> Verdict {
    if count <= most { return .follow }
    if range.count == 1 { return .hub }
    let middle = range.lowerBound + range.count / 2
    open += [middle..<range.upperBound, range.lowerBound..<middle]
    return .divided
  }
}
