/// A migration's decision about one document.
package struct Outcome: Sendable, Equatable {
  package enum Action: Sendable, Equatable {
    /// The document is already correct.
    case unchanged
    /// The document is deliberately left unchanged; a finding says why.
    case skip
    /// The document is not as expected, and is left unchanged.
    case conflict
    case change(Change)
  }

  package var action: Action
  /// What a person should know about the document, apart from the change.
  package var findings: [Finding]
  /// The migration that made the decision, if it is not the one that reports it.
  package var migration: String?

  package init(_ action: Action, findings: [Finding] = [], migration: String? = nil) {
    self.action = action
    self.findings = findings
    self.migration = migration
  }

  var change: Change? { if case .change(let change) = action { change } else { nil } }
  package var heldBytes: Int { change?.heldBytes ?? 0 }
}

/// Something about a document that a person should know or decide: a line of findings.csv.
package struct Finding: Sendable, Equatable {
  /// How a finding is counted, and where it is listed besides findings.csv.
  package enum Kind: String, Sendable {
    /// A person must decide: listed in review.csv.
    case review
    /// The document cannot be migrated or written as it is: listed in rejects.jsonl.
    case reject
    /// Worth knowing; no action is needed.
    case note

    /// The label for people.
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
  /// The kind of finding, as a short fixed code: `wrong-type`, `name-disagrees`, `orphan`.
  package var code: String
  /// The field that the finding is about; nil if it is about the document.
  package var field: String?
  /// The current value.
  package var found: Value?
  /// The proposed values by field; empty if nothing is proposed.
  package var proposal: FieldMap
  /// One sentence for people, which must not contain values.
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
