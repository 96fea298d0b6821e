public import Models

/// Turns references into one database into references into another; others are kept and counted.
public struct ReferenceRewriter: Sendable {
  /// How many references were met.
  public struct Counts: Sendable, Equatable {
    /// Pointed into the source and point into the target now.
    public var rewritten = 0
    /// Point elsewhere, or the source is not known.
    public var kept = 0

    /// None yet.
    public init() {}
  }

  private let source: DatabaseName?
  private let target: DatabaseName
  /// What was met so far.
  public private(set) var counts = Counts()

  /// Makes a rewriter; without a source nothing is rewritten.
  public init(from source: DatabaseName?, to target: DatabaseName) {
    self.source = source
    self.target = target
  }

  /// The same fields with their references rewritten.
  public mutating func rewrite(_ fields: FieldMap) -> FieldMap {
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
