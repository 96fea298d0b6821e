package import Files
package import FirestoreModels

/// The high-water marks of a folder: for each collection of a database, the time at which the next increment begins.
///
/// Marks are advanced after an export has its final name, so that no document is missed. After a crash in between, documents
/// are exported twice.
package struct HighWaterMarks: Sendable {
  /// The name of the file within the folder.
  package static let fileName = ".high-water-mark.json"

  /// The number of seconds that a mark lies before the read time of its export.
  ///
  /// `updatedAt` may be earlier than the commit that makes it visible: the service rounds its own times down to milliseconds,
  /// and an app's clock may be slow. Documents in the overlap are exported twice, which does no harm on import.
  package static let overlap: Int64 = 600

  private struct Key: Hashable {
    var database: DatabaseName
    var collection: CollectionPath
  }

  private let path: String
  private let files: FileAccess
  private var marks: [Key: Timestamp] = [:]

  /// Reads the marks of a folder; none if it has no file yet.
  ///
  /// - Throws: `.inputMalformed` if the file is damaged, because a wrong mark would leave out documents.
  package init(in folder: String, via files: FileAccess = .local) throws(Failure) {
    path = "\(folder)/\(Self.fileName)"
    self.files = files
    let read = try JSONFile.read(path, via: files) { json throws(WireError) -> [Key: Timestamp] in
      guard let list = json["marks"], list.kind == .array else {
        throw WireError("it is not a list", at: ["marks"])
      }
      var marks: [Key: Timestamp] = [:]
      for element in list.elements {
        guard let database = element["database"]?.string.flatMap({ DatabaseName(parsing: $0) }),
          let collection = element["collection"]?.string.flatMap({ CollectionPath($0) }),
          let since = element["since"]?.string.flatMap({ Timestamp($0) })
        else { throw WireError("it holds an invalid mark", at: ["marks"]) }
        marks[Key(database: database, collection: collection)] = since
      }
      return marks
    }
    marks = read ?? [:]
  }

  /// The mark of a collection.
  package subscript(database: DatabaseName, collection: CollectionPath) -> Timestamp? {
    marks[Key(database: database, collection: collection)]
  }

  /// Advances the marks of collections to the read time of an export, never back, and writes the file.
  ///
  /// - Throws: `.cannotWrite`; the file is unchanged then.
  package mutating func move(
    _ collections: [CollectionPath],
    of database: DatabaseName,
    exportedAt time: Timestamp
  ) throws(Failure) {
    guard let mark = Timestamp(seconds: time.seconds - Self.overlap, nanoseconds: time.nanoseconds) else {
      return
    }
    for collection in collections {
      let key = Key(database: database, collection: collection)
      marks[key] = max(marks[key] ?? mark, mark)
    }
    let ordered = marks.sorted { a, b in
      let databases = a.key.database.description.compareUTF8(b.key.database.description)
      return databases == 0 ? a.key.collection < b.key.collection : databases < 0
    }
    var json = JSONWriter()
    json.object { json in
      json.key("marks")
      json.array { list in
        for (key, since) in ordered {
          list.object { json in
            json.member("collection", key.collection.string)
            json.member("database", key.database.description)
            json.member("since", since)
          }
        }
      }
    }
    guard FileAccess.isRemote(path) else { return try JSONFile.write(json.bytes, to: path) }
    var file = try OutputFile(path, via: files)
    try file.write(json.bytes + [UInt8(ascii: "\n")])
    _ = try file.finish()
  }
}
