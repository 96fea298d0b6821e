/// What the documents of a collection are.
package struct CollectionSchema: Sendable {
  /// The collection, with `*` for the ID of any document: `users`, `groups/*/members`.
  package let pattern: CollectionPath
  /// The name for people, by language.
  package var labels: [String: String] = [:]
  /// The only documents that the schema is about, where it is not about all of them.
  package var documents: [String]?
  /// What document IDs are.
  package var documentID: DocumentIDRule?
  /// The field that holds the document's own ID.
  package var idField: FieldPath?
  package var createTime: TimeField?
  package var updateTime: TimeField?
  package var softDelete: SoftDelete?
  package var immutability = Immutability.none
  /// The fields that an application orders by: a document without one of them is invisible to it.
  package var orderedBy: [FieldPath] = []
  /// The fields that an application filters by: a document in which one is absent or null is invisible to it.
  package var filteredBy: [FieldPath] = []
  /// Whether an application decodes strictly: a value of another type throws, and its entire list with it.
  package var isDecodedStrictly = false
  /// Whether all environments share its documents.
  package var isCatalogue = false
  package var personalData = PersonalData.unknown
  /// How the IDs of its documents are masked; nil if nothing is said.
  package var mask: MaskRule?
  /// How people's files of it are imported.
  package var imports = ImportSettings()
  /// Whether fields that are not declared are expected.
  package var expectsUnknownFields = true
  /// The fields that must not be there.
  package var forbidden: [FieldPath] = []
  /// Combinations of fields that no two documents share.
  package var unique: [[FieldPath]] = []
  /// The fields whose texts `find` searches; nil for all that ``isSearchedByDefault(_:)`` holds for.
  package var searchedTexts: [FieldPath]?
  /// The fields with phone numbers, which `find` searches by digits.
  package var searchedPhones: [FieldPath] = []
  /// Whether `find` searches the collection only where it is named.
  package var isSearchedWhenNamed = false
  /// The fields, in display order; those of a map follow it.
  package private(set) var fields: [FieldSchema] = []
  /// The columns of its table: its fields, except the maps with declared fields.
  package private(set) var columns: [Column] = []

  /// The position of each field by its path.
  private(set) var byPath: [FieldPath: Int] = [:]
  /// The fields in the order of a document's, for checks.
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

  /// The columns of fields: all but the maps with declared fields.
  static func columns(_ fields: [FieldSchema], isIdentifier: (FieldSchema) -> Bool) -> [Column] {
    fields.filter { field in
      !fields.contains { $0.path != field.path && field.path.isPrefix(of: $0.path) }
    }
    .map { Column($0, isIdentifier: isIdentifier($0)) }
  }

  /// The declared field of a path; nil where there is none.
  package func field(_ path: FieldPath) -> FieldSchema? { byPath[path].map { fields[$0] } }

  /// The declared field of a path in which ``FieldSchema/elementName`` is the elements of an array; nil where there is none.
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

  /// Whether `find` searches a text where ``searchedTexts`` does not say: not the document's ID, the IDs of
  /// others, constants, URLs, dates and times, which say nothing that people look for.
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

  /// The times that the service sets, of creation and of the last change.
  package var serverTimes: [FieldPath] {
    [createTime, updateTime].compactMap { time in time.flatMap { $0.setter == .server ? $0.path : nil } }
  }

  /// The time of the last change, where the service sets it; nil where the collection has none.
  package var serverUpdateTime: FieldPath? { updateTime.flatMap { $0.setter == .server ? $0.path : nil } }

  /// Whether the schema is about a document.
  package func covers(_ path: DocumentPath) -> Bool {
    documents.map { $0.contains { $0.isIdentical(to: path.id) } } ?? true
  }
}

extension CollectionSchema {
  /// What document IDs are.
  package enum DocumentIDRule: Sendable, Equatable {
    /// Random, as the service makes them.
    case auto
    case uuid
    /// The ID of an account in Firebase Authentication.
    case uid
    /// An email address, lower-cased and trimmed.
    case email
    /// Text that a regular expression matches entirely.
    case pattern(TextPattern)
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
    /// Booleans that say the same to other programs; set in documents that have them.
    package var also: [FieldPath] = []
  }

  /// Which documents may not be changed once they are written.
  package enum Immutability: Sendable {
    case none
    case always
    /// Those that a filter selects: its text, and the filter.
    case when(String, DocumentFilter)

    package func protects(_ document: RawDocument) -> Bool {
      switch self {
      case .none: false
      case .always: true
      case .when(_, let filter): filter.matches(document)
      }
    }
  }

  /// Whose personal data the collection holds.
  package enum PersonalData: Sendable, Equatable {
    /// No personal data.
    case free
    /// Why it is withheld, as a clause after the collection's name: "it holds names and phones".
    case holds(String)
    /// The schema does not say.
    case unknown
  }
}
