import Schema

/// Rewrites references into the source database so that they point into the target database; others are kept and counted.
///
/// With ``buckets``, texts that are URLs of files in the source's Cloud Storage bucket are rewritten, too.
package struct ReferenceRewriter: Sendable {
  /// The number of references.
  package struct Counts: Codable, Sendable, Equatable {
    /// References into the source, which now point into the target.
    package var rewritten = 0
    /// References into other databases, or all references if the source is not known.
    package var kept = 0
    /// URLs of files in the source's bucket, which are now in the target's.
    package var storageURLs = 0

    package init() {}
  }

  private let source: DatabaseName?
  /// The rule by which references are rewritten.
  package let rule: ReferenceRule
  /// The buckets of the source and the target; nil to leave URLs as they are.
  package var buckets: (source: String, target: String)?
  package private(set) var counts = Counts()
  /// The database of the first reference that this rewriter kept; nil if there is none.
  private(set) var elsewhere: DatabaseName?

  /// Creates a rewriter; without a source nothing is rewritten.
  ///
  /// - Parameter counts: The counts so far, for a resumed run.
  package init(from source: DatabaseName?, to target: DatabaseName, counts: Counts = Counts()) {
    self.source = source
    rule = ReferenceRule(from: source, to: target)
    self.counts = counts
  }

  /// Counts the references of a document that was encoded by ``rule``.
  package mutating func count(_ document: EncodedDocument) {
    counts.rewritten += document.references.rewritten
    counts.kept += document.references.kept
    guard elsewhere == nil, document.references.kept > 0 else { return }
    let kept = elsewhere(in: document.document.fields).first { rule.isElsewhere($0.name) }
    elsewhere = kept.flatMap { DatabaseName.split($0.name)?.database }
  }

  /// Returns the fields with their references rewritten.
  package mutating func rewrite(_ fields: FieldMap) -> FieldMap {
    guard buckets != nil || Self.holdsReference(fields) else { return fields }
    return FieldMap(fields.entries.map { FieldMap.Entry(name: $0.name, value: rewrite($0.value)) })
  }

  private mutating func rewrite(_ value: Value) -> Value {
    switch value {
    case .reference(let name):
      guard let rewritten = rule.rewritten(name) else {
        if rule.isElsewhere(name) {
          counts.kept += 1
          if elsewhere == nil { elsewhere = DatabaseName.split(name)?.database }
        }
        return value
      }
      counts.rewritten += 1
      return .reference(rewritten)
    case .string(let text):
      guard let buckets, let url = StorageURL(text), url.bucket.isIdentical(to: buckets.source) else {
        return value
      }
      counts.storageURLs += 1
      return .string(url.text(inBucket: buckets.target))
    case .array(let values): return .array(values.map { rewrite($0) })
    case .map(let fields): return .map(rewrite(fields))
    default: return value
    }
  }

  /// Returns the references that do not point into the source, each with its field.
  ///
  /// A reference in an array counts under the array's field.
  package func elsewhere(in fields: FieldMap) -> [(field: FieldPath, name: String)] {
    guard Self.holdsReference(fields) else { return [] }
    var references: [(field: FieldPath, name: String)] = []
    func collect(_ value: Value, _ field: FieldPath) {
      switch value {
      case .reference(let name): if source?.path(ofName: name) == nil { references.append((field, name)) }
      case .array(let values): for value in values { collect(value, field) }
      case .map(let fields): for entry in fields.entries { collect(entry.value, field.appending(entry.name)) }
      default: break
      }
    }
    for entry in fields.entries { collect(entry.value, FieldPath(field: entry.name)) }
    return references
  }

  private static func holdsReference(_ fields: FieldMap) -> Bool {
    fields.entries.contains { holdsReference($0.value) }
  }

  private static func holdsReference(_ value: Value) -> Bool {
    switch value {
    case .reference: true
    case .array(let values): values.contains(where: holdsReference)
    case .map(let fields): holdsReference(fields)
    default: false
    }
  }
}
