/// An application's rules beyond those of its schema, which involve several documents or application-specific meaning.
///
///     let check = IntegrityCheck(of: schema, application: GymRules())
package protocol ApplicationRules: Sendable {
  /// The rules, in the order in which they are listed.
  var rules: [IntegrityRule] { get }

  /// Returns what a rule reads: collections, as patterns, with the fields that it examines.
  func fields(of rule: IntegrityRule) -> [CollectionPath: [String]]

  /// Returns the collection, as a pattern, whose documents the findings of a rule name.
  func subject(of rule: IntegrityRule) -> CollectionPath

  /// Those of ``rules`` that each document satisfies or violates by itself, regardless of other documents.
  ///
  /// A check with only these rules can be divided: it reports the same for part of the documents as a check of all does for that
  /// part.
  var perDocument: Set<IntegrityRule> { get }

  /// Fields whose dangling references are reported by a rule of the application instead of the schema's rule.
  var ownReferences: [CollectionPath: [String]] { get }

  /// Begins a check.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` if its temporary file cannot be written.
  func begin(_ rules: Set<IntegrityRule>) throws(Failure) -> any ApplicationCheck
}

extension ApplicationRules {
  package var perDocument: Set<IntegrityRule> { [] }
  package var ownReferences: [CollectionPath: [String]] { [:] }
}

/// A check of an application's rules in one pass over the data.
package protocol ApplicationCheck: AnyObject {
  /// Checks a page of a root collection and everything below it, in the order of names.
  ///
  /// - Parameter report: Receives each finding with the index of the document in the page at which it was found, so that the
  ///   order of all findings does not depend on page boundaries.
  func take(
    _ page: [RawDocument],
    of collection: CollectionPath,
    report: (_ index: Int, IntegrityFinding) throws -> Void
  ) async throws

  /// Reports what is known once a root collection has been read entirely.
  func finish(_ collection: CollectionPath, report: (IntegrityFinding) throws -> Void) async throws
}
