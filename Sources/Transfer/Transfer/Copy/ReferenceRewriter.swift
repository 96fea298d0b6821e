package import FirestoreModels

/// Turns references into one database into references into another; others are kept and counted.
package struct ReferenceRewriter: Sendable {
  /// How many references were met.
  package struct Counts: Sendable, Equatable {
    /// Pointed into the source and point into the target now.
    package var rewritten = 0
    /// Point elsewhere, or the source is not known.
    package var kept = 0

    /// None yet.
    package init() {}
  }

  private let source: DatabaseName?
  private let target: DatabaseName
  /// What was met so far.
  package private(set) var counts = Counts()

  /// Makes a rewriter; without a source nothing is rewritten.
  ///
  /// - Parameter counts: What was counted before, in a resumed run.
  package init(from source: DatabaseName?, to target: DatabaseName, counts: Counts = Counts()) {
    self.source = source
    self.target = target
    self.counts = counts
  }

  /// The same fields with their references rewritten.
  package mutating func rewrite(_ fields: FieldMap) -> FieldMap {
    guard Self.holdsReference(fields) else { return fields }
    return FieldMap(fields.entries.map { FieldMap.Entry(name: $0.name, value: rewrite($0.value)) })
  }

  private mutating func rewrite(_ value: Value) -> Value {
    switch value {
    case .reference(let name):
      guard let source, source != target, let path = source.path(ofName: name) else {
        counts.kept += 1
        return value
      }
      counts.rewritten += 1
      return .reference(target.name(of: path))
    case .array(let values): return .array(values.map { rewrite($0) })
    case .map(let fields): return .map(rewrite(fields))
    default: return value
    }
  }

  /// The references in the fields that do not point into the source, each with the field that it is in.
  ///
  /// A reference within an array is in the array's field.
  package func elsewhere(in fields: FieldMap) -> [(field: FieldPath, name: String)] {
    guard Self.holdsReference(fields) else { return [] }
    var found: [(field: FieldPath, name: String)] = []
    func walk(_ value: Value, _ field: FieldPath) {
      switch value {
      case .reference(let name): if source?.path(ofName: name) == nil { found.append((field, name)) }
      case .array(let values): for value in values { walk(value, field) }
      case .map(let fields): for entry in fields.entries { walk(entry.value, field.appending(entry.name)) }
      default: break
      }
    }
    for entry in fields.entries { walk(entry.value, FieldPath(field: entry.name)) }
    return found
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
