/// The description of a collection's documents: their IDs, fields and special roles.
package struct CollectionSchema: Sendable {
  /// The collection, with `*` for the ID of any document: `users`, `groups/*/members`.
  package let pattern: CollectionPath
  /// The names for people, by language.
  package var labels: [String: String] = [:]
  /// The IDs of the only documents that the schema applies to; nil if it applies to all.
  package var documents: [String]?
  /// The form of document IDs; nil if not declared.
  package var documentID: DocumentIDRule?
  /// The field that holds the document's own ID.
  package var idField: FieldPath?
  package var createTime: TimeField?
  package var updateTime: TimeField?
  package var softDelete: SoftDelete?
  package var immutability = Immutability.none
  /// The fields that an application orders by: a document without one of them is invisible to it.
  package var orderedBy: [FieldPath] = []
  /// The fields that an application filters by: a document where one of them is absent or null is invisible to it.
  package var filteredBy: [FieldPath] = []
  /// Whether an application decodes strictly: a value of another type makes it fail on the entire list.
  package var isDecodedStrictly = false
  /// Whether the collection is a catalogue, whose documents all environments share.
  package var isCatalogue = false
  package var personalData = PersonalData.unknown
  /// How document IDs are masked; nil if not declared.
  package var mask: MaskRule?
  /// How people's files for this collection are imported.
  package var imports = ImportSettings()
  /// Whether undeclared fields are permitted.
  package var expectsUnknownFields = true
  /// The fields that documents must not have.
  package var forbidden: [FieldPath] = []
  /// Combinations of fields whose values must be unique among the documents.
  package var unique: [[FieldPath]] = []
  /// The fields whose texts `find` searches; nil for all fields for which ``isSearchedByDefault(_:)`` is true.
  package var searchedTexts: [FieldPath]?
  /// The fields with phone numbers, which `find` searches by their digits.
  package var searchedPhones: [FieldPath] = []
  /// Whether `find` searches the collection only if it is named explicitly.
  package var isSearchedWhenNamed = false
  /// The fields, in display order; a map is followed by its fields.
  package private(set) var fields: [FieldSchema] = []
  /// The columns of the collection's table: its fields, except for maps with declared fields.
  package private(set) var columns: [Column] = []

  /// The index of each field by its path.
  private(set) var byPath: [FieldPath: Int] = [:]
  /// The checks of the fields, in the order in which a document stores them.
  private(set) var checkers: [FieldChecker] = []

  package init(_ pattern: CollectionPath, fields: [FieldSchema] = []) {
    self.pattern = pattern
    set(fields)
  }

  package mutating func set(_ fields: [FieldSchema]) {
    self.fields = fields
    byPath = Dictionary(fields.enumerated().map { ($0.element.path, $0.offset) }, uniquingKeysWith: { $1 })
    checkers = fields.enumerated().map { FieldChecker($0.element, index: $0.offset) }
      .sorted { a, b in
        let order = a.top.compareUTF8(b.top)
        return order == 0 ? a.index < b.index : order < 0
      }
    columns = Self.columns(fields) { [idField] in $0.isIdentifier || $0.path == idField }
  }

  /// The columns for fields: all but the maps with declared fields.
  static func columns(_ fields: [FieldSchema], isIdentifier: (FieldSchema) -> Bool) -> [Column] {
    fields.filter { field in
      !fields.contains { $0.path != field.path && field.path.isPrefix(of: $0.path) }
    }
    .map { Column($0, isIdentifier: isIdentifier($0)) }
  }

  /// Returns the declared field at a path; nil if there is none.
  package func field(_ path: FieldPath) -> FieldSchema? { byPath[path].map { fields[$0] } }

  /// Returns the declared field at a path in which ``FieldSchema/elementName`` denotes the elements of an array; nil if there is
  /// none.
  package func field(throughElements path: FieldPath) -> FieldSchema? {
    var steps: [[String]] = [[]]
    for segment in path.segments {
      if segment.isIdentical(to: FieldSchema.elementName) { steps.append([]) }
      steps[steps.count - 1].append(segment)
    }
    let first = FieldPath(segments: steps[0]).flatMap { field($0) }
    return steps.dropFirst().reduce(first) { outer, step in
      outer?.elements.first { $0.path.segments == step }
    }
  }

  /// Whether `find` searches a text if ``searchedTexts`` is nil: not the document's ID, references, constants, URLs, dates and
  /// times, which nobody searches for.
  ///
  /// - Parameter path: As for ``field(throughElements:)``.
  package func isSearchedByDefault(_ path: FieldPath) -> Bool {
    if path == idField { return false }
    guard let field = field(throughElements: path) else { return true }
    switch field.format {
    case .url, .uuid, .date, .time: return false
    default: return field.reference == nil && field.values == nil
    }
  }

  /// The creation and change times that the service sets.
  package var serverTimes: [FieldPath] {
    [createTime, updateTime].compactMap { time in time.flatMap { $0.setter == .server ? $0.path : nil } }
  }

  /// The time of the last change if the service sets it; nil if it does not, or the collection has none.
  package var serverUpdateTime: FieldPath? { updateTime.flatMap { $0.setter == .server ? $0.path : nil } }

  /// Whether the schema applies to a document.
  package func covers(_ path: DocumentPath) -> Bool {
    documents.map { $0.contains { $0.isIdentical(to: path.id) } } ?? true
  }
}

extension CollectionSchema {
  /// The form of document IDs.
  package enum DocumentIDRule: Sendable, Equatable {
    /// Random, as the service generates them.
    case auto
    case uuid
    /// The ID of an account in Firebase Authentication.
    case uid
    /// An email address, lower-cased and trimmed.
    case email
    /// Text that a regular expression matches entirely.
    case pattern(TextPattern)

    /// The rules that have a name in schema files.
    package static let named: [(name: String, value: DocumentIDRule)] = [
      ("auto", .auto), ("uuid", .uuid), ("uid", .uid), ("email", .email),
    ]
  }

  package struct TimeField: Sendable, Equatable {
    package enum Setter: String, Sendable, CaseIterable {
      /// The service, by a `REQUEST_TIME` transform.
      case server
      /// The application, by its own clock.
      case client
    }

    package var path: FieldPath
    package var setter = Setter.server
  }

  /// The field that marks a document as deleted.
  package struct SoftDelete: Sendable, Equatable {
    package var path: FieldPath
    /// The value of a deleted document, true or false.
    package var deleted = false
    /// Whether a document without the field is deleted.
    package var absentIsDeleted = false
    /// Booleans with the same meaning for other programs; set in documents that have them.
    package var also: [FieldPath] = []
  }

  /// Which documents must not be changed after they are written.
  package enum Immutability: Sendable {
    case none
    case always
    /// Documents for which a filter holds: its text, and the parsed filter.
    ///
    /// A query's demand for the fields of its order is no part of it, as a guard must not depend on other sides of an OR.
    case when(String, StructuredQuery.Filter)

    package func protects(_ document: RawDocument) -> Bool {
      switch self {
      case .none: false
      case .always: true
      case .when(_, let filter): filter.holds(for: document)
      }
    }
  }

  /// Whether a collection holds personal data.
  package enum PersonalData: Sendable, Equatable {
    /// No personal data.
    case free
    /// Personal data, with the reason for withholding it as a clause after the collection's name: "it holds names and phones".
    case holds(String)
    /// The schema does not say.
    case unknown
  }
}
