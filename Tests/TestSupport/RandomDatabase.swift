package import FirestoreModels

/// Random documents of an entire database from a seed, each path once, all within the service's limits.
///
/// Ids hold every legal character and come in canonically equivalent twins; there are subcollections below documents
/// that are there and below missing ones, and now and then an id, a field name, a value, a path or nesting of the
/// largest size that the service takes.
package struct RandomDatabase: Sendable {
  private var documents: RandomDocuments
  private let roots: [String]
  private var taken: Set<DocumentPath> = []
  private var earlier: [DocumentPath] = []

  /// Documents from a seed: the same seed and database, the same documents; another database, the same ones but for
  /// the references into it.
  package init(seed: UInt64, database: DatabaseName) {
    documents = RandomDocuments(seed: seed, database: database, isStored: true)
    var roots = Self.awkwardCollections + [String(repeating: "k", count: 1500)]
    for _ in 0..<6 { roots.append(Self.legal(documents.text(), instead: "random")) }
    self.roots = roots
  }

  /// The next document.
  package mutating func next() -> RawDocument {
    let path = path()
    taken.insert(path)
    if earlier.count < 512 {
      earlier.append(path)
    } else {
      earlier[Int.random(in: 0..<512, using: &documents.random)] = path
    }
    return RawDocument(path: path, fields: fields(of: path))
  }

  // MARK: Paths

  private static let awkwardCollections = [
    "users", "c", "con espacio", "é", "e\u{301}", "\u{301}", "a:b", "50%", "%41", "%2F", "#?&=", "documents",
    "__x", "x__",
    "___", "...", "a+b", "(default)", "\u{7F}", "c:commit", "😀", "\u{FFFF}", "\u{10FFFF}", "A\u{0}B", "\r\n",
    "`\"\\'",
  ]

  private mutating func path() -> DocumentPath {
    var path: DocumentPath
    switch documents.count(upTo: 999) {
    case 0..<150:
      path = below(earlier.isEmpty ? nil : documents.pick(earlier))
    case 150..<250:
      path = below(below(documents.chance(2) ? nil : below(nil)))
    case 250..<350 where !earlier.isEmpty:
      path = Self.twin(of: documents.pick(earlier))
    case 350..<353:
      path = DocumentPath(collection(below: nil), longID())
    case 353:
      path = below(nil)
      for _ in 1..<100 {
        path = DocumentPath(CollectionPath(path, "c"), documents.pick(["é", "d", "__id7__"]))
      }
    default:
      path = below(nil)
    }
    if path.string.utf8.count > 5000 || path.segments.count > 200 { path = below(nil) }
    while taken.contains(path) {
      let more = Self.legal(
        "\(path.id)\(documents.text(upTo: 3))\(documents.pick(["0", "é", "~"]))",
        instead: "x"
      )
      path = DocumentPath(path.collection, more.utf8.count > 1500 ? "x" : more)
    }
    return path
  }

  private mutating func below(_ parent: DocumentPath?) -> DocumentPath {
    DocumentPath(collection(below: parent), documentID())
  }

  private mutating func collection(below parent: DocumentPath?) -> CollectionPath {
    // A long id in every segment would soon make a name too long.
    let id = documents.pick(roots)
    return CollectionPath(parent, parent != nil && id.utf8.count > 100 ? "c" : id)
  }

  private mutating func documentID() -> String {
    switch documents.count(upTo: 9) {
    case 0:
      // 0 is no numeric ID.
      switch documents.integer() {
      case 0: "__id1__"
      case let number: "__id\(number)__"
      }
    case 1...5: String((0..<20).map { _ in documents.pick(Self.letters) })
    default: Self.legal(documents.documentID(), instead: "x")
    }
  }

  private mutating func longID() -> String {
    let piece = documents.pick(["x", "é", "\u{0}", "%", "😀", "日"])
    return String(repeating: piece, count: 1500 / piece.utf8.count)
  }

  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

  /// The same path to Unicode, another one to the service: composed where it was decomposed, and the other way round.
  private static func twin(of path: DocumentPath) -> DocumentPath {
    var twin = String.UnicodeScalarView()
    var scalars = path.string.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      switch (scalar, scalars.first) {
      case ("é", _): twin.append(contentsOf: "e\u{301}".unicodeScalars)
      case ("e", "\u{301}"?):
        scalars.removeFirst()
        twin.append("é")
      case ("\u{212B}", _): twin.append("\u{C5}")
      case ("\u{C5}", _): twin.append("\u{212B}")
      default: twin.append(scalar)
      }
    }
    let other = DocumentPath(String(twin)) ?? path
    return other.segments.contains { $0.utf8.count > 1500 } ? path : other
  }

  /// The text as an id: what an id cannot hold or be is left out or replaced.
  private static func legal(_ text: String, instead: String) -> String {
    let id = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "/" }))
    let utf8 = id.utf8
    if utf8.isEmpty || utf8.allSatisfy({ $0 == UInt8(ascii: ".") }) { return instead }
    if utf8.starts(with: "__".utf8), utf8.suffix(2).elementsEqual("__".utf8) {
      return ResourceID.number(id) == nil ? instead : id
    }
    return id
  }

  // MARK: Fields

  private mutating func fields(of path: DocumentPath) -> FieldMap {
    var fields = documents.fields(levels: documents.chance(40) ? 20 : documents.count(upTo: 4))
    if documents.chance(40) { fields["deepest"] = documents.deepest() }
    if documents.chance(200) {
      fields[String(repeating: documents.pick(["k", "`", "\u{0}"]), count: 1500)] = .null
    }
    if documents.chance(2000) { fields["vector"] = vector(2048) }
    if documents.chance(20_000) {
      // Of all sizes the largest that the service takes; NUL is the longest in JSON.
      let name = path.string.utf8.count + path.segments.count + 16
      let room = min(1_048_487, 1_048_572 - 32 - 2 - name)
      let text = String(repeating: documents.pick(["\u{0}", "x", "\""]), count: room)
      return ["v": documents.chance(2) ? .string(text) : .bytes(Array(text.utf8))]
    }
    let bounds = Bounds(of: .map(fields))
    // The map of the fields is no level of its own.
    return bounds.levels - 1 <= 20 && bounds.path <= 1400 || bounds.path == 1500 && bounds.levels <= 4
      ? fields : [:]
  }

  private mutating func vector(_ dimensions: Int) -> Value {
    .map([
      "__type__": .string("__vector__"),
      "value": .array((0..<dimensions).map { _ in .double(documents.double()) }),
    ])
  }
}

/// How deep and how long the paths in a value are; counted generously.
private struct Bounds {
  var levels = 0
  var path = 0

  init(of value: Value) {
    switch value {
    case .map(let fields):
      for entry in fields.entries {
        let inner = Bounds(of: entry.value)
        levels = max(levels, inner.levels)
        path = max(path, entry.name.utf8.count + (inner.path == 0 ? 0 : inner.path + 3))
      }
      levels += 1
    case .array(let values):
      for value in values {
        let inner = Bounds(of: value)
        levels = max(levels, inner.levels)
        path = max(path, inner.path)
      }
      levels += 1
    default: break
    }
  }
}
