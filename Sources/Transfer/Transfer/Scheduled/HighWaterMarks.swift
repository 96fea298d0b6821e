package import Configuration
import TypedDocuments

/// The high-water marks of a folder: for each collection of a database on its server, the time at which the next increment
/// begins.
///
/// Marks are advanced after an export has its final name, so that no document is missed. After a crash in between,
/// documents are exported twice.
package struct HighWaterMarks: Sendable {
  /// The name of the file within the folder.
  package static let fileName = ".high-water-mark.json"

  /// How many seconds a mark lies before the read time of its export.
  ///
  /// An `updatedAt` may be earlier than the commit that makes it visible: the service rounds its own times down to
  /// milliseconds, and an app's clock may be slow. Documents in the overlap are exported twice, which does no harm on
  /// import.
  package static let overlap: Int64 = 600

  private struct Key: Hashable {
    var database: DatabaseName
    /// The server, as ``DatabaseEnvironment/server``; nil in files of versions that did not record it.
    var server: String?
    var collection: CollectionPath
  }

  private struct Mark {
    var since: Timestamp
    /// The time of last change in the schema of the export; nil if there was none, and in files of versions that did not record it.
    var field: String?
  }

  /// The contents of the file.
  private struct Contents: JSONRecord {
    struct Mark: Codable {
      @Text var collection: CollectionPath
      @Text var database: DatabaseName
      var server: String?
      var since: Timestamp
      /// As ``Mark/field``.
      var field: String?
    }

    var marks: [Mark]
  }

  private let path: String
  private let files: FileAccess
  private var marks: [Key: Mark] = [:]

  /// Reads the marks of a folder; none if it has no file yet.
  ///
  /// - Throws: `.inputMalformed` if the file is damaged, because a wrong mark would leave out documents.
  package init(in folder: String, via files: FileAccess = .local) throws(Failure) {
    self.init(startingIn: folder, via: files)
    for mark in try JSONFile.read(path, via: files, as: Contents.self)?.marks ?? [] {
      let key = Key(database: mark.database, server: mark.server, collection: mark.collection)
      marks[key] = Mark(since: mark.since, field: mark.field)
    }
  }

  /// Creates no marks, which replace those of a folder.
  package init(startingIn folder: String, via files: FileAccess) {
    path = "\(folder)/\(Self.fileName)"
    self.files = files
  }

  /// The mark of a collection; nil also if it is one for changes that have their time in another field.
  package subscript(
    environment: DatabaseEnvironment,
    collection: CollectionPath,
    by field: FieldPath? = nil
  ) -> Timestamp? {
    guard let mark = key(environment, collection).flatMap({ marks[$0] }) else { return nil }
    if let field, let former = mark.field, !former.isIdentical(to: field.description) { return nil }
    return mark.since
  }

  /// The key of a mark, regardless of how the server's address is spelled.
  private func key(_ environment: DatabaseEnvironment, _ collection: CollectionPath) -> Key? {
    let own = marks.keys.filter { $0.database == environment.database && $0.collection == collection }
    return own.first { $0.server.map { environment.isServed(by: $0) } ?? false }
      ?? own.first { $0.server == nil }
  }

  /// The mark that an export sets; nil if it is outside the range of timestamps.
  package static func mark(exportedAt time: Timestamp) -> Timestamp? {
    Timestamp(seconds: time.seconds - overlap, nanoseconds: time.nanoseconds)
  }

  /// Advances the marks of collections to the read time of an export, and writes the file.
  ///
  /// A mark goes back only if it was not one for changes that have their time in the same field.
  ///
  /// - Parameter field: Returns the time of last change of a collection in the schema of the export.
  /// - Throws: `.cannotWrite`; then the file is unchanged.
  package mutating func move(
    _ collections: [CollectionPath],
    of environment: DatabaseEnvironment,
    exportedAt time: Timestamp,
    by field: (CollectionPath) -> FieldPath? = { _ in nil }
  ) throws(Failure) {
    guard let mark = Self.mark(exportedAt: time) else { return }
    for collection in collections {
      let former = key(environment, collection).flatMap { marks.removeValue(forKey: $0) }
      let key = Key(database: environment.database, server: environment.server, collection: collection)
      let field = field(collection)?.description
      let earlier = former.flatMap { ($0.field ?? "").isIdentical(to: field ?? "") ? $0.since : nil }
      marks[key] = Mark(since: max(earlier ?? mark, mark), field: field)
    }
    let ordered = marks.sorted { a, b in
      let databases = a.key.database.description.compareUTF8(b.key.database.description)
      if databases != 0 { return databases < 0 }
      if a.key.collection != b.key.collection { return a.key.collection < b.key.collection }
      return (a.key.server ?? "").compareUTF8(b.key.server ?? "") < 0
    }
    let contents = Contents(
      marks: ordered.map { key, mark in
        Contents.Mark(
          collection: key.collection,
          database: key.database,
          server: key.server,
          since: mark.since,
          field: mark.field
        )
      }
    )
    guard FileAccess.isRemote(path) else { return try JSONFile.write(contents.json, to: path) }
    try OutputFile.write(contents.line, to: path, via: files)
  }
}
