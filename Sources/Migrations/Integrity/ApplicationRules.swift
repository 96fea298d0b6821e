/// The rules of an application beyond those of its schema, over several documents or with a meaning of their own.
///
///     let check = IntegrityCheck(of: schema, application: GymRules())
package protocol ApplicationRules: Sendable {
  /// The rules, in the order in which they are listed.
  var rules: [IntegrityRule] { get }

  /// What a rule reads: collections, as patterns, with the fields that it looks at.
  func fields(of rule: IntegrityRule) -> [CollectionPath: [String]]

  /// Those of ``rules`` that each document obeys or breaks by itself, whatever other documents hold.
  ///
  /// A check of them alone can be divided: it reports of a part of the documents what it reports of that part of all.
  var perDocument: Set<IntegrityRule> { get }

  /// Fields whose dangling references a rule of the application reports, so that the schema's rule does not.
  var ownReferences: [CollectionPath: [String]] { get }

  /// Begins a check.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` where its temporary file cannot be kept.
  func begin(_ rules: Set<IntegrityRule>) throws(Failure) -> any ApplicationCheck
}

extension ApplicationRules {
  package var perDocument: Set<IntegrityRule> { [] }
  package var ownReferences: [CollectionPath: [String]] { [:] }
}

/// A check by the rules of an application, for one pass over the data.
package protocol ApplicationCheck: AnyObject {
  /// Takes a page of a root collection and of what is below it, in the order of names.
  ///
  /// - Parameter report: Takes each finding with the index of the document in the page at which it was known, so that the
  ///   order of all findings does not depend on where pages end.
  func take(
    _ page: [RawDocument],
    of collection: CollectionPath,
    report: (_ index: Int, IntegrityFinding) throws -> Void
  ) async throws

  /// Reports what is known once a root collection has been read.
  func finish(_ collection: CollectionPath, report: (IntegrityFinding) throws -> Void) async throws
}
