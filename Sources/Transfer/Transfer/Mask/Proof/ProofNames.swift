import Schema

/// The places where something was found; those beyond a thousand are combined.
struct PlaceNames {
  private static let maximum = 1000
  private var names: [String] = []
  private var indices: [String: Int] = [:]

  mutating func index(of name: String) -> Int {
    if let index = indices[name] { return index }
    let name = names.count < Self.maximum ? name : "elsewhere"
    if let index = indices[name] { return index }
    indices[name] = names.count
    names.append(name)
    return names.count - 1
  }

  func names(of indices: Set<Int>) -> [String] { indices.sorted().map { names[$0] } }
}

/// Values that do not identify a person: those of enumerations, constants, and the words that masks are made of.
struct CommonWords {
  private var values: Set<[String]> = []
  private let words: Set<String>

  init(of schema: DatabaseSchema) {
    words = Set((MaskWords.names + MaskWords.lorem + MaskWords.particles).flatMap { TextWords($0).list })
    for field in schema.collections.flatMap(\.fields).flatMap({ [$0] + $0.elements }) {
      for case .string(let text) in (field.values ?? []) + field.deprecated { add(text) }
      if case .constant(let text) = field.mask?.kind { add(text) }
    }
  }

  private mutating func add(_ text: String) { values.insert(TextWords(text).list) }

  func contains(_ text: TextWords) -> Bool {
    let list = text.list
    return values.contains(list) || !list.isEmpty && list.allSatisfy(words.contains)
  }
}

extension MaskRule {
  /// Whether a value identifies one person, however many documents have it.
  var isOfOnePerson: Bool {
    switch kind {
    case .digits, .email, .hash, .reference: true
    default: false
    }
  }

  var isOfURLs: Bool {
    if case .url = kind { true } else { false }
  }

  /// Whether it applies to numbers and times, which prove nothing.
  var isOfNumbers: Bool {
    switch kind {
    case .number, .date, .year: true
    default: false
    }
  }

  /// The part of a text that the rule masks; nil for none.
  func maskedPart(of text: String) -> String? {
    guard case .pseudonym(let keeping, let prefixes) = kind else { return text }
    if keeping.contains(where: { $0.isIdentical(to: text) }) { return nil }
    let prefix = prefixes.first { text.utf8.starts(with: $0.utf8) }
    return prefix.map { String(decoding: text.utf8.dropFirst($0.utf8.count), as: UTF8.self) } ?? text
  }
}

extension DocumentPath {
  /// Each ID with the pattern of its collection, starting at the root.
  var ids: [(collection: CollectionPath, id: String)] {
    let segments = segments
    var pattern = ""
    return stride(from: 1, to: segments.count, by: 2).compactMap { index in
      pattern += (index > 1 ? "/*/" : "") + segments[index - 1]
      return CollectionPath(pattern).map { ($0, segments[index]) }
    }
  }
}

extension CollectionPath {
  /// The parts of it that are not document IDs.
  var names: [String] { string.parts(at: "/").filter { $0 != "*" } }
}

extension TraceSearch {
  /// Searches a value, including the keys of its maps and the names of its references.
  mutating func look(at value: Value) {
    switch value {
    case .string(let text), .reference(let text): look(at: text)
    case .integer(let number): look(at: String(number))
    case .double(let number): if let whole = Int64(exactly: number) { look(at: String(whole)) }
    case .bytes(let bytes): look(at: bytes)
    case .array(let values): for value in values { look(at: value) }
    case .map(let fields):
      for entry in fields.entries {
        look(at: entry.name)
        look(at: entry.value)
      }
    case .null, .boolean, .timestamp, .geoPoint: break
    }
  }
}
