package import Runs
import Schema

/// Where a program works, and what it may do there.
struct ProgramSurroundings: Sendable {
  /// The file for what it writes to standard error.
  var log: String?
  /// Whether it may have documents deleted.
  var mayDelete = true
}

extension MigrationStep {
  /// The program that it runs.
  package var program: ProgramCall? {
    if case .run(let call) = self { call } else { nil }
  }
}

extension DeclarativeMigration {
  /// The program that decides on the documents; nil where steps do.
  package var program: ProgramCall? { steps.first?.program }

  /// Whether it may delete documents; only while it runs shows whether a program does.
  package var mayDelete: Bool { deletesForGood || program != nil }

  /// Starts the program that decides; nil where none does.
  var programSession: (@Sendable () throws -> any OutcomeSession)? {
    guard let program else { return nil }
    return { try ProgramSession(program, for: self) }
  }

  package func working(in folder: RunDirectory, mayDelete: Bool) -> any Migration {
    var migration = self
    migration.surroundings = ProgramSurroundings(log: folder.file("program.log"), mayDelete: mayDelete)
    return migration
  }

  /// Fields with the time of last change that the document has, where the server sets it.
  func keepingTime(_ fields: FieldMap, of document: RawDocument) -> FieldMap {
    guard touch, let time = schema.collection(document.path.collection)?.serverUpdateTime else {
      return fields
    }
    var fields = fields
    fields[time] = document.fields[time]
    return fields
  }
}
