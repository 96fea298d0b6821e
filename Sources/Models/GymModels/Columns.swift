package import FirestoreModels

/// One column of a collection's table: the field that it holds, that field's type, and its headings.
package struct Column: Sendable, Hashable {
  /// What the values of a column are.
  package enum ValueType: String, Sendable, CaseIterable {
    case string, integer, double, boolean, timestamp, array
    /// Of any type: a field that the catalogue does not know, or knows no type of.
    case any
  }

  /// The language of a table's header.
  package enum HeaderLanguage: String, Sendable, CaseIterable {
    /// Field paths, as the service names them.
    case fieldNames
    case english
    case spanish
  }

  /// The field, through nested maps.
  package let path: FieldPath
  /// The type of its values.
  package let type: ValueType
  /// Whether its digits are a name and no number: ids and phones, which a spreadsheet must leave as they are.
  package let isTextLike: Bool
  /// The English heading; the path where the catalogue has none.
  package let english: String
  /// The Spanish heading; the path where the catalogue has none.
  package let spanish: String

  /// Makes a column of the catalogue.
  package init(
    _ path: FieldPath,
    _ type: ValueType,
    isTextLike: Bool = false,
    english: String,
    spanish: String
  ) {
    self.path = path
    self.type = type
    self.isTextLike = isTextLike
    self.english = english
    self.spanish = spanish
  }

  /// A column for a field that the catalogue does not know.
  package init(unknown path: FieldPath) {
    self.init(path, .any, english: path.description, spanish: path.description)
  }

  /// The heading in a language.
  package func heading(_ language: HeaderLanguage) -> String {
    switch language {
    case .fieldNames: path.description
    case .english: english
    case .spanish: spanish
    }
  }
}

/// The columns of the gym's collections, in the order in which people want to see them.
///
/// The one place that says what type a field of a table has: an export types its cells by it, an import reads them
/// by it. Within a collection no heading is the path or the heading of another column, in either language, so a
/// header may be read without knowing its language.
package enum ColumnCatalogue {
  /// The columns of a collection, by the ids along its path: none where the gym has no such collection.
  package static func columns(of collection: CollectionPath) -> [Column] {
    byGroup[group(of: collection)] ?? []
  }

  /// The collections that have columns, subcollections as `groups/*/members`.
  package static var collections: [String] { byGroup.keys.sorted() }

  /// The columns by name of the collection, subcollections as `groups/*/members`.
  package static func columns(ofGroup group: String) -> [Column] { byGroup[group] ?? [] }

  private static func group(of collection: CollectionPath) -> String {
    let segments = collection.string.split(separator: "/")
    return segments.enumerated().map { $0.offset % 2 == 0 ? String($0.element) : "*" }.joined(separator: "/")
  }

  private static let byGroup: [String: [Column]] = [
    "users": users,
    "members": members,
    "membership_plans": membershipPlans,
    "check_ins": checkIns,
    "payments": payments,
    "products": products,
    "expenses": expenses,
    "user_emails": userEmails,
    "app_config": appConfig,
    "classes": classes,
    "classBookings": classBookings,
    "classAttendance": classAttendance,
    "exercises": exercises,
    "routine_templates": routineTemplates,
    "daily_routines": dailyRoutines,
    "groups": groups,
    "groups/*/members": groupMembers,
  ]
}

// MARK: - Shorthand of the catalogue

extension Column {
  static func text(_ path: String, _ english: String, _ spanish: String) -> Column {
    make(path, .string, english, spanish)
  }

  /// An id or a phone.
  static func id(_ path: String, _ english: String, _ spanish: String) -> Column {
    make(path, .string, english, spanish, isTextLike: true)
  }

  static func integer(_ path: String, _ english: String, _ spanish: String) -> Column {
    make(path, .integer, english, spanish)
  }

  static func double(_ path: String, _ english: String, _ spanish: String) -> Column {
    make(path, .double, english, spanish)
  }

  static func boolean(_ path: String, _ english: String, _ spanish: String) -> Column {
    make(path, .boolean, english, spanish)
  }

  static func time(_ path: String, _ english: String, _ spanish: String) -> Column {
    make(path, .timestamp, english, spanish)
  }

  static func array(_ path: String, _ english: String, _ spanish: String) -> Column {
    make(path, .array, english, spanish)
  }

  static func any(_ path: String, _ english: String, _ spanish: String) -> Column {
    make(path, .any, english, spanish)
  }

  /// The catalogue's paths are plain names joined by dots.
  private static func make(
    _ path: String,
    _ type: ValueType,
    _ english: String,
    _ spanish: String,
    isTextLike: Bool = false
  ) -> Column {
    let segments = path.split(separator: ".").map(String.init)
    return Column(
      FieldPath(segments: segments) ?? FieldPath(field: path),
      type,
      isTextLike: isTextLike,
      english: english,
      spanish: spanish
    )
  }
}
