/// What a person decided about doubtful names: a corrected `review.csv`.
///
/// A row decides all four fields of the name; one that is empty is not written. A row of four empty fields decides
/// nothing.
package struct NameReview: Sendable, Equatable {
  /// The fields that a row decides, in the order of its columns.
  static let fields: [UserField] = [.fullName, .firstName, .paternalLastName, .maternalLastName]

  package struct Decision: Sendable, Equatable {
    /// Its position in the file: `line 3`.
    package var label: String
    /// The name that was in the document when it was listed, as the list has it.
    package var found: String
    /// The name, tidied; a field that is not to be written is missing.
    package var texts: [UserField: String]

    var parts: PersonName {
      PersonName(
        firstName: texts[.firstName],
        paternalLastName: texts[.paternalLastName],
        maternalLastName: texts[.maternalLastName]
      )
    }
  }

  package var decisions: [DocumentPath: Decision] = [:]
  /// What there is to say about the file, in sentences.
  package var notices: [String] = []
}
