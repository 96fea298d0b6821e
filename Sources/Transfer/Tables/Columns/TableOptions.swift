/// How the rows of a table become documents.
package struct TableOptions: Sendable {
  /// Ids for rows that have none.
  package enum NewIDs: String, Sendable, CaseIterable {
    /// A UUID, as the apps give members and payments.
    case uuid
    /// 20 letters and digits, as the service's clients give.
    case auto
  }

  /// What parts the cells of CSV; found out where nil.
  package var delimiter: CSVOptions.Delimiter?
  /// What stands for null.
  package var nullText = "null"
  /// The zone of dates that have none.
  package var timeZone: LocalTimeZone
  /// The heading of the column that holds the ids; `__name__` where nil.
  package var idColumn: String?
  /// Ids for rows that have none; such a row is an error where nil.
  package var newIDs: NewIDs?
  /// What new ids are derived from, so that a run that is taken up again gives the same ones.
  package var newIDSeed = ""

  /// The defaults, with dates in a zone (see ``LocalTimeZone/gym``).
  package init(timeZone: LocalTimeZone) {
    self.timeZone = timeZone
  }
}
