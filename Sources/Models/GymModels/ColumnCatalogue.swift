package import FirestoreModels

/// A column of a collection's table: the field, its type and its headings.
package struct Column: Sendable, Hashable {
  /// The type of a column's values.
  package enum ValueType: String, Sendable, CaseIterable {
    case string, integer, double, boolean, timestamp, array
    /// Any type: for fields that are not in the catalogue, or have no fixed type.
    case any
  }

  /// The language of a table's header.
  package enum HeaderLanguage: String, Sendable, CaseIterable {
    /// Field paths as in Firestore.
    case fieldNames
    case english
    case spanish
  }

  /// The field path.
  package let path: FieldPath
  package let type: ValueType
  /// Whether the values are identifiers even if they are digits, such as IDs and phone numbers, which a
  /// spreadsheet must not convert.
  package let isTextLike: Bool
  /// The English heading; the field path if there is none.
  package let english: String
  /// The Spanish heading; the field path if there is none.
  package let spanish: String

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

  /// A column for a field that is not in the catalogue.
  package init(unknown path: FieldPath) {
    self.init(path, .any, english: path.description, spanish: path.description)
  }

  package func heading(_ language: HeaderLanguage) -> String {
    switch language {
    case .fieldNames: path.description
    case .english: english
    case .spanish: spanish
    }
  }
}

/// The columns of the gym's collections, in display order.
///
/// The single source of the types of table fields: exports format cells by it, imports parse them by it.
/// Within a collection every heading is unique in both languages and differs from all field paths, so that a
/// header can be read without knowing its language.
package enum ColumnCatalogue {
  /// The columns of a collection; none if the gym has no such collection.
  package static func columns(of collection: CollectionPath) -> [Column] {
    byGroup[group(of: collection)] ?? []
  }

  /// The collections with columns; subcollections as `groups/*/members`.
  package static var collections: [String] { byGroup.keys.sorted() }

  /// The columns of a collection by name; subcollections as `groups/*/members`.
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

  /// An ID or a phone number.
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

  /// Makes a column; paths in the catalogue are simple names joined by dots.
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
