import Platform
package import Schema

/// Searches a masked copy for values of its source that rules mask.
///
/// It first takes the source, then searches the copy. Both are stored on disk as keyed hashes, so that memory use is
/// constant.
///
///     var proof = MaskProof(by: schema)
///     for document in source { try proof.take(document) }
///     for document in copy { try proof.search(document) }
///     let report = try proof.report()
package struct MaskProof: ~Copyable {
  private let mask: Mask
  private let common: CommonWords
  private var rows: [Row] = []
  private var rowIndices: [String: Int] = [:]
  private var wanted = DiskSort<NumberRecord>()
  private var filter = TraceFilter()
  private var places = PlaceNames()
  private var seen = DiskSort<NumberRecord>()
  private var unread: [String] = []
  private var signs = MaskSigns()
  /// Whether nothing that was taken can be searched for.
  package private(set) var isEmpty = true
  /// Whether the source is itself masked, so that none of its values need occur in any copy.
  package var isOfCopy: Bool { signs.areOfCopy }

  fileprivate struct Row {
    var field: ProvenField
    /// Whether a value identifies one person, however many documents have it.
    let isIdentity: Bool
  }

  package init(by schema: DatabaseSchema) {
    // The masked values are never shown, so any key will do.
    mask = Mask(by: schema, key: MaskKey(MaskKey.random()))
    common = CommonWords(of: schema)
  }

  // MARK: The source

  /// Takes a document of the source.
  ///
  /// - Throws: `.cannotWrite`.
  package mutating func take(_ document: RawDocument) throws(Failure) {
    try takeIDs(of: document.path)
    let collection = document.path.collection.pattern.string
    for decision in mask.decisions(on: document) {
      try take(decision.value, decision, of: "\(collection): \(decision.field)")
    }
  }

  private mutating func takeIDs(of path: DocumentPath) throws(Failure) {
    for (collection, id) in path.ids {
      guard let rule = mask.idRule(of: collection), rule.kind != .keep else { continue }
      try take(id, rule, at: row("\(collection): (ids)", isIdentity: true))
    }
  }

  private mutating func take(_ value: Value, _ decision: MaskDecision, of field: String) throws(Failure) {
    switch value {
    case .array(let values): for value in values { try take(value, decision, of: field) }
    case .map(let fields) where fields.vector == nil: try take(fields, decision, of: field)
    // References are masked consistently under every rule.
    case .reference(let name): if let path = DocumentPath(ofName: name) { try takeIDs(of: path) }
    default:
      if decision.rule.kind == .keep { return }
      try takeScalar(value, decision.rule, at: row(field, isIdentity: decision.isIdentity))
    }
  }

  private mutating func take(_ fields: FieldMap, _ decision: MaskDecision, of field: String) throws(Failure) {
    for entry in fields.entries {
      if let rule = decision.keys {
        try take(entry.name, rule, at: row("\(field) (keys)", isIdentity: true))
      } else if decision.rule.kind != .keep {
        let row = row(field, isIdentity: decision.isIdentity)
        // A plain name is probably that of a field, which other maps have as well.
        if MaskGaps.isPlain(entry.name) {
          rows[row].field.common += 1
        } else {
          try take(entry.name, decision.rule, at: row)
        }
      }
      try take(entry.value, decision, of: field)
    }
  }

  private mutating func takeScalar(_ value: Value, _ rule: MaskRule, at row: Int) throws(Failure) {
    switch value {
    case .string(let text): try take(text, rule, at: row)
    case .bytes(let bytes):
      let text = String(validating: bytes, as: UTF8.self)
      if let text { try take(text, rule, at: row) } else { try want(.bytes(bytes), row) }
    case .integer(let number) where !rule.isOfNumbers && number.magnitude >= 1_000_000:
      try take(String(number), rule, at: row)
    case .double(let number):
      if let whole = Int64(exactly: number) { return try takeScalar(.integer(whole), rule, at: row) }
      rows[row].field.others += 1
    case .null, .boolean: return
    default: rows[row].field.others += 1
    }
  }

  private mutating func take(_ text: String, _ rule: MaskRule, at row: Int) throws(Failure) {
    guard let text = rule.maskedPart(of: text), !text.isEmpty else { return }
    signs.note(text, rule)
    let digits = PlainText.phoneDigits(text)
    if digits != nil || rule.kind == .digits {
      if rule.kind != .digits, digits?.utf8.count == 8, text.utf8.count > 8 {
        // A date, such as 2024-03-10.
        rows[row].field.others += 1
        return
      }
      try want(PhoneDigits.trace(text), row)
    }
    if digits != nil { return }
    let words = TextWords(text)
    if common.contains(words) {
      rows[row].field.common += 1
    } else {
      try want(words.trace(isURL: rule.isOfURLs), row)
    }
  }

  private mutating func want(_ trace: ValueTrace?, _ row: Int) throws(Failure) {
    guard let trace else {
      rows[row].field.short += 1
      return
    }
    isEmpty = false
    filter.insert(trace)
    try wanted.add(NumberRecord(trace, UInt64(row)))
  }

  private mutating func row(_ field: String, isIdentity: Bool) -> Int {
    if let index = rowIndices[field] { return index }
    rowIndices[field] = rows.count
    rows.append(Row(field: ProvenField(field: field), isIdentity: isIdentity))
    return rows.count - 1
  }

  // MARK: The copy

  /// Searches a document of the copy for what was taken: its path, its fields, and the keys of its maps.
  ///
  /// - Throws: `.cannotWrite`.
  package mutating func search(_ document: RawDocument) throws(Failure) {
    let path = document.path.collection.pattern
    let collection = mask.schema.collection(path)
    let name = collection != nil || path.names.allSatisfy(MaskGaps.isPlain) ? path.string : "(others)"
    var search = TraceSearch(filter)
    search.look(at: document.path.string)
    try note(search, in: "\(name): (ids)")
    for entry in document.fields.entries {
      let field = FieldPath(field: entry.name)
      let isKnown = collection?.field(field) != nil
      var search = TraceSearch(filter)
      if !isKnown { search.look(at: entry.name) }
      search.look(at: entry.value)
      let shown = isKnown || MaskGaps.isPlain(entry.name) ? field.description : "(others)"
      try note(search, in: "\(name): \(shown)")
    }
  }

  /// Searches a file, or the files in and below a folder, for what was taken, including their names.
  ///
  /// - Parameter values: Reads the values of a file that is a database.
  /// - Throws: `.cannotWrite`; the errors of ``InputFile/read(into:)``.
  package mutating func search(files path: String, values: FileValues) throws(Failure) {
    guard SystemCall.status(path).status != nil else { throw Failure.cannotRead(path, errno: ENOENT) }
    var folders = [path]
    while let path = folders.popLast() {
      guard let status = SystemCall.linkStatus(path).status else { continue }
      if status.isFolder { folders += FilePaths.names(in: path).map { "\(path)/\($0)" } }
      var search = TraceSearch(filter)
      search.look(at: FilePaths.name(of: path))
      let place = search.found.isEmpty ? path : "a file whose name is not shown"
      if status.isRegularFile, let cause = try search.look(atFile: path, values: values) {
        unread.append("\(place): \(cause)")
      }
      try note(search, in: place)
    }
  }

  private mutating func note(_ search: TraceSearch, in place: String) throws(Failure) {
    if search.found.isEmpty { return }
    let place = places.index(of: place)
    for trace in search.found { try seen.add(NumberRecord(trace, UInt64(place))) }
  }

  // MARK: The result

  /// Returns the results.
  ///
  /// - Throws: `.cannotWrite`.
  package consuming func report() throws(Failure) -> MaskProofReport {
    var rows = rows
    let (names, unread) = (places, unread)
    var wanted = try wanted.sorted()
    var seen = try seen.sorted()
    var next = try seen.next()
    var record = try wanted.next()
    while let first = record {
      var counts: [Int: Int] = [:]
      while let same = record, same.hasHash(of: first) {
        counts[Int(same.third), default: 0] += 1
        record = try wanted.next()
      }
      var found: Set<Int> = []
      while let place = next, place < first || place.hasHash(of: first) {
        if place.hasHash(of: first) { found.insert(Int(place.third)) }
        next = try seen.next()
      }
      for (row, count) in counts { rows[row].conclude(count, found, names) }
    }
    return MaskProofReport(fields: rows.map(\.field).filter { !$0.isEmpty }, unread: unread)
  }
}

extension MaskProof.Row {
  /// The number of documents beyond which a shared value does not identify a person.
  private static let commonDocuments = 20

  /// Adds a value that a number of documents have.
  fileprivate mutating func conclude(_ documents: Int, _ found: Set<Int>, _ names: PlaceNames) {
    if documents > Self.commonDocuments, !isIdentity {
      field.common += documents
      return
    }
    field.values += 1
    if found.isEmpty { return }
    field.found += 1
    for place in names.names(of: found) where !field.places.contains(place) { field.places.append(place) }
  }
}
