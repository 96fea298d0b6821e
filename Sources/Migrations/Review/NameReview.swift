public import Models

/// What a person decided about doubtful names: a `review.csv` that was corrected and handed back.
///
/// A row decides all four fields of the name; one that is empty is not written. A row of four empty fields decides
/// nothing.
public struct NameReview: Sendable, Equatable {
  /// The fields that a row decides, in the order of its columns.
  static let fields: [UserField] = [.fullName, .firstName, .paternalLastName, .maternalLastName]

  /// What one row says.
  public struct Decision: Sendable, Equatable {
    /// Where it stands in the file: `line 3`.
    public var place: String
    /// What stood in the document when it was listed, as the list has it.
    public var found: String
    /// The name, tidied; a field that is not to be written is missing.
    public var texts: [UserField: String]

    /// Makes a decision.
    public init(place: String, found: String, texts: [UserField: String]) {
      self.place = place
      self.found = found
      self.texts = texts
    }

    var parts: PersonName {
      PersonName(
        firstName: texts[.firstName],
        paternalLastName: texts[.paternalLastName],
        maternalLastName: texts[.maternalLastName]
      )
    }
  }

  /// The decisions, by document.
  public var decisions: [DocumentPath: Decision]

  /// Makes a review.
  public init(decisions: [DocumentPath: Decision] = [:]) {
    self.decisions = decisions
  }
}
