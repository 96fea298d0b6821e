package import Files
package import Schema

/// Options for converting the rows of a table to documents.
@dynamicMemberLookup
package struct TableOptions: Sendable {
  /// How the table is read.
  package var reading = TableReading()
  /// The time zone of dates without one.
  package var timeZone: LocalTimeZone
  /// Whether somebody named it, so that the one of a workbook by export does not count.
  package var isZoneGiven = false
  /// The seed of generated IDs, so that a resumed run generates the same ones.
  package var newIDSeed = ""
  /// How this table alone is given another column of IDs than the others, as a sentence behind others; empty for a single table.
  package var idAdvice = ""
  /// What the members of objects in JSON are; found out if nil.
  package var jsonForm: JSONForm?
  /// The database that references without one (`cars/c1`) point into.
  package var database: DatabaseName?
  /// The database that the file is of, where somebody named it.
  package var source: DatabaseName?

  /// Whether texts that are days or times of day stay as they are in a table that export wrote, as nothing is checked in it.
  package var keepsDays = false
  /// Whether of a path below the collection only the ID counts, so that every row is in the collection itself.
  package var flattens = false

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
