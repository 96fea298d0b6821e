package import Runs
import Schema

/// The environment of a program, and what it may do there.
struct ProgramSurroundings: Sendable {
  /// The file that receives its standard error.
  var log: String?
  var mayDelete = true
}

extension MigrationStep {
  /// The program that the step runs.
  package var program: ProgramCall? {
    if case .run(let call) = self { call } else { nil }
  }
}

extension DeclarativeMigration {
  /// The program that decides on the documents; nil if steps do.
  package var program: ProgramCall? { steps.first?.program }

  /// Whether it may delete documents; for a program, this is known only while it runs.
  package var mayDelete: Bool { deletesForGood || program != nil }

  /// Starts the deciding program; nil if there is none.
  var programSession: (@Sendable () throws -> ProgramSession)? {
    guard let program else { return nil }
    return { try ProgramSession(program, for: self) }
  }

  package func working(in folder: RunDirectory, mayDelete: Bool) -> any Migration {
    var migration = self
    migration.surroundings = ProgramSurroundings(log: folder.file("program.log"), mayDelete: mayDelete)
    return migration
  }

  /// Returns fields with the document's present time of last change, if the server sets it.
  func keepingTime(_ fields: FieldMap, of document: RawDocument) -> FieldMap {
    guard touch, let time = schema.collection(document.path.collection)?.serverUpdateTime else {
      return fields
    }
    var fields = fields
    fields[time] = document.fields[time]
    return fields
  }

  /// Returns notes about values that come back as another type, in arrays only those whose types plain JSON cannot express, in
  /// fields whose types are not declared.
  func lostTypes(_ fields: FieldMap, of document: RawDocument) -> [Finding] {
    let collection = schema.collection(document.path.collection)
    return Self.lostTypes(document.fields, fields, below: []).compactMap { lost in
      guard let field = FieldPath(segments: lost.path) else { return nil }
      let declared = collection?.field(field)
      let isDeclared = !(declared?.types.isEmpty ?? true)
      // An array may be declared without its elements.
      if isDeclared, declared?.types.contains(.array) == false || declared?.elements.isEmpty == false {
        return nil
      }
      let isPlain = Self.plainTypes.contains { $0 == (lost.type, lost.other) }
      let message =
        "\(field): \(lost.type) becomes \(lost.other)\(isPlain ? ", as plain JSON does not tell them apart" : "")."
      return .typeChanged(field, of: document.path, lost.old, message)
    }
  }

  /// Why plain JSON does not determine the elements of an array.
  static let lookingAlike =
    "it has elements that may look the same in plain JSON and are different values, and not as many of them came back as there were, so it is not known which"

  /// Returns the outcome of leaving a document unchanged because a program's plain JSON is ambiguous, or no value.
  func unclear(_ field: FieldPath, _ reason: String, of document: RawDocument) -> Outcome {
    let message = "\(field): \(reason); the document is left as it is. The style 'rest' tells values apart."
    let found = document.fields[field]
    return Outcome(.skip, findings: [.typeChanged(field, of: document.path, found, message, kind: .reject)])
  }

  /// The types that values become for which JSON has no type.
  private static let plainTypes = [
    ("timestamp", "string"), ("reference", "string"), ("bytes", "string"), ("geo point", "map"),
    ("vector", "array"), ("double", "integer"),
  ]

  private struct LostType {
    var path: [String]
    var old: Value
    var type: String
    var other: String
  }

  private static func lostTypes(_ old: FieldMap, _ new: FieldMap, below path: [String]) -> [LostType] {
    old.entries.flatMap { entry -> [LostType] in
      guard let value = new[entry.name], value != entry.value else { return [] }
      let path = path + [entry.name]
      if case (.map(let old), .map(let new)) = (entry.value, value), old.vector == nil {
        return lostTypes(old, new, below: path)
      }
      if value.isNull || entry.value.isNull { return [] }
      if value.typeName != entry.value.typeName {
        return [LostType(path: path, old: entry.value, type: entry.value.typeName, other: value.typeName)]
      }
      let (before, after) = (Self.types(in: entry.value), Self.types(in: value))
      return plainTypes.compactMap { type, other in
        // In an array, as many values as are gone may be present with another type.
        guard before[type, default: 0] > after[type, default: 0],
          before[other, default: 0] < after[other, default: 0]
        else { return nil }
        return LostType(path: path, old: entry.value, type: type, other: other)
      }
    }
  }

  /// Counts the values of each type inside a value, including itself.
  private static func types(in value: Value) -> [String: Int] {
    var types = [value.typeName: 1]
    var inner: [Value] = []
    switch value {
    case .array(let values): inner = values
    case .map(let fields) where fields.vector == nil: inner = fields.entries.map(\.value)
    default: break
    }
    for value in inner { types.merge(Self.types(in: value)) { $0 + $1 } }
    return types
  }
}
