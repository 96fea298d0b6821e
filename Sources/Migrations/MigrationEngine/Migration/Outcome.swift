/// What a migration decided about one document.
package struct Outcome: Sendable, Equatable {
  package enum Action: Sendable, Equatable {
    /// It is right already.
    case unchanged
    /// It is left alone on purpose; a finding says why.
    case skip
    /// It is not what it has to be, and is left alone.
    case conflict
    case change(Change)
  }

  package var action: Action
  /// What a person should know of it, apart from the change itself.
  package var findings: [Finding]
  /// The migration that decided it, where it is not the one that reports it.
  package var migration: String?

  package init(_ action: Action, findings: [Finding] = [], migration: String? = nil) {
    self.action = action
    self.findings = findings
    self.migration = migration
  }

  package var heldBytes: Int { if case .change(let change) = action { change.heldBytes } else { 0 } }
}

/// Something about a document that a person should know or decide: a line of findings.csv.
package struct Finding: Sendable, Equatable {
  /// How it is counted and where it is listed beside findings.csv.
  package enum Kind: String, Sendable {
    /// A person must decide: listed in review.csv.
    case review
    /// The document cannot be migrated or written as it is: listed in rejects.jsonl.
    case reject
    /// Worth knowing; nothing has to be done.
    case note

    /// For people.
    package var label: String {
      switch self {
      case .review: "for review"
      case .reject: "left alone"
      case .note: "note"
      }
    }
  }

  package var kind: Kind
  package var path: DocumentPath
  /// What it is, as a short fixed code: `wrong-type`, `name-disagrees`, `orphan`.
  package var code: String
  /// The field that it is about, where it is about one.
  package var field: String?
  /// The present value.
  package var found: Value?
  /// What is proposed, by field, where something is.
  package var proposal: FieldMap
  /// One sentence for a person; it names no value.
  package var message: String

  package init(
    _ kind: Kind,
    path: DocumentPath,
    code: String,
    field: String? = nil,
    found: Value? = nil,
    proposal: FieldMap = FieldMap(),
    message: String
  ) {
    self.kind = kind
    self.path = path
    self.code = code
    self.field = field
    self.found = found
    self.proposal = proposal
    self.message = message
  }
}
