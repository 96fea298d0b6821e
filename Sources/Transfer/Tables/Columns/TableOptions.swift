package import Files
package import Schema

/// Options for converting the rows of a table to documents.
@dynamicMemberLookup
package struct TableOptions: Sendable {
  /// How the table is read.
  package var reading = TableReading()
  /// The time zone of dates without one.
  package var timeZone: LocalTimeZone
  /// Whether the user named the time zone, so that the one in a workbook written by export is ignored.
  package var isZoneGiven = false
  /// The seed of generated IDs, so that a resumed run generates the same ones.
  package var newIDSeed = ""
  /// How to give this table alone another column of IDs than the others, as a sentence to append; empty for a single table.
  package var idAdvice = ""
  /// What the members of objects in JSON are; determined from the file if nil.
  package var jsonForm: JSONForm?
  /// The database of references that do not name one (`cars/c1`).
  package var database: DatabaseName?
  /// The database from which the file comes, if the user named it.
  package var source: DatabaseName?
  /// Whether only the record of an export says that numbers have a decimal comma, and the file may be another one by now.
  package var doubtsDecimalComma = false

  /// Whether texts that are days or times of day stay unchanged in a table that export wrote, as nothing is checked in it.
  package var keepsDays = false
  /// Whether only the ID counts in a path below the collection, so that every row is in the collection itself.
  package var flattens = false

  /// How many of the types and renames of headings the schema says; they come first.
  package var (declaredTypes, declaredRenames) = (0, 0)

  package var schema = DatabaseSchema.none
  package var files = FileAccess.local

  package init(timeZone: LocalTimeZone) {
    self.timeZone = timeZone
  }

  package subscript<Member>(dynamicMember path: WritableKeyPath<TableReading, Member>) -> Member {
    get { reading[keyPath: path] }
    set { reading[keyPath: path] = newValue }
  }
}
