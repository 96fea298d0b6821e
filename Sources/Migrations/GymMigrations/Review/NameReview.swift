/// What a person decided about doubtful names: a corrected `review.csv`.
///
/// A row that was changed, or is marked, decides all four fields of the name; one that is empty is not written. A row of
/// four empty fields decides nothing.
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
    /// Whether the row is taken though nobody has changed it.
    package var isMarked = false

    var parts: PersonName {
      PersonName(
        firstName: texts[.firstName],
        paternalLastName: texts[.paternalLastName],
        maternalLastName: texts[.maternalLastName]
      )
    }
  }

  package var decisions: [DocumentPath: Decision] = [:]
  /// The fields that the file has a column of.
  package var columns = NameReview.fields
  /// What there is to say about the file, in sentences.
  package var notices: [String] = []

  /// What a person decided about a user.
  ///
  /// - Parameter proposed: What the list proposes of the user.
  /// - Returns: nil where nobody did: there is no row, or it is as it was listed.
  func decision(on user: DocumentPath, proposed: UnifiedName.Texts) -> Decision? {
    guard let decision = decisions[user] else { return nil }
    if decision.isMarked { return decision }
    var listed: [UserField: String] = [:]
    proposed.forEach { listed[$0] = PlainText.tidied($1) }
    let isChanged = columns.contains { !(decision.texts[$0] ?? "").isIdentical(to: listed[$0] ?? "") }
    return isChanged ? decision : nil
  }
}
