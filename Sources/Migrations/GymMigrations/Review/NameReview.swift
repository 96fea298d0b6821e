/// A person's decisions about doubtful names: a corrected `review.csv`.
///
/// A row that was changed or marked decides all four fields of the name; an empty one is not written. A row with four empty
/// fields decides nothing.
package struct NameReview: Sendable, Equatable {
  /// The fields that a row decides, in column order.
  static let fields: [UserField] = [.fullName, .firstName, .paternalLastName, .maternalLastName]

  package struct Decision: Sendable, Equatable {
    /// The position in the file: `line 3`.
    package var label: String
    /// The document's name when it was listed, as shown in the list.
    package var found: String
    /// The decided name, tidied; fields that are not to be written are missing.
    package var texts: [UserField: String]
    /// Whether the row is accepted although nobody has changed it.
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
  /// The fields that have a column in the file.
  package var columns = NameReview.fields
  /// Messages about the file, in sentences.
  package var notices: [String] = []

  /// Returns the decision about a user.
  ///
  /// - Parameter proposed: What the list proposes for the user.
  /// - Returns: nil if there is none: the row is missing, or as it was listed.
  func decision(on user: DocumentPath, proposed: UnifiedName.Texts) -> Decision? {
    guard let decision = decisions[user] else { return nil }
    if decision.isMarked { return decision }
    var listed: [UserField: String] = [:]
    proposed.forEach { listed[$0] = PlainText.tidied($1) }
    let isChanged = columns.contains { !(decision.texts[$0] ?? "").isIdentical(to: listed[$0] ?? "") }
    return isChanged ? decision : nil
  }
}
