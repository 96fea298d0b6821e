/// A rule that data must satisfy.
///
/// The rules that follow from a schema are defined here; applications have additional ones (``ApplicationRules``). A value of the
/// wrong type is reported by ``wrongType`` and skipped by a rule about that value; a rule that looks for something in other
/// documents does not find it there. Null always counts as absent.
package struct IntegrityRule: Sendable, Hashable {
  /// The name on the command line and in findings.
  package let name: String
  /// The rule in one sentence, for `--list-rules`.
  package let summary: String

  package init(_ name: String, _ summary: String) {
    self.name = name
    self.summary = summary
  }

  package static func == (a: IntegrityRule, b: IntegrityRule) -> Bool { a.name.isIdentical(to: b.name) }

  package func hash(into hasher: inout Hasher) { UTF8Key(name).hash(into: &hasher) }
}

extension IntegrityRule {
  package static let idMissing = Self(
    "id-missing",
    "Every document has the field with its own id, where its collection has that field."
  )
  package static let idMismatch = Self("id-mismatch", "An id that is there is the document's id.")
  package static let wrongType = Self("wrong-type", "A field has a value of its type.")
  package static let foreignKeyMissing = Self(
    "foreign-key-missing",
    "A foreign key that is not optional is there; an empty text will do."
  )
  package static let foreignKeyDangling = Self(
    "foreign-key-dangling",
    "A foreign key names a document that exists."
  )
  package static let linkNotMirrored = Self(
    "link-not-mirrored",
    "Two documents that exist name each other, where the schema says so."
  )
  package static let requiredMissing = Self(
    "required-missing",
    "A required field is there: neither null nor blank."
  )
  package static let valueUnknown = Self("value-unknown", "A field with closed values has one of them.")
  package static let format = Self("format", "A text has the format of its field.")
  package static let range = Self("range", "A value is within the range of its field.")
  package static let unreadable = Self(
    "unreadable",
    "An application that decodes strictly can read the document; else it throws, and its entire list is lost."
  )
  package static let hidden = Self(
    "hidden",
    "A document has the fields by which applications order and filter; else they do not see it."
  )
  package static let fieldUnexpected = Self(
    "field-unexpected",
    "A field that the collection must not have is not there."
  )
  package static let fieldUnknown = Self(
    "field-unknown",
    "Every field is declared, where the schema expects no others."
  )
  package static let documentID = Self(
    "document-id",
    "A document's id has the form that its collection gives it."
  )
  package static let notUnique = Self(
    "not-unique",
    "No two documents share the values of fields that are unique."
  )

  package static let foreignBucket = Self(
    "foreign-bucket",
    "A URL of a file in Storage is not in the bucket of another environment."
  )

  /// The schema's rules that each document satisfies or violates by itself.
  package static let ofSchemaPerDocument = Set(
    ofSchema.filter { ![.foreignKeyDangling, .linkNotMirrored, .notUnique].contains($0) }
  )

  /// The rules that follow from a schema.
  package static let ofSchema = [
    idMissing, idMismatch, wrongType, foreignKeyMissing, foreignKeyDangling, linkNotMirrored, requiredMissing,
    valueUnknown, format, range, unreadable, hidden, fieldUnexpected, fieldUnknown, documentID, notUnique,
    foreignBucket,
  ]
}
