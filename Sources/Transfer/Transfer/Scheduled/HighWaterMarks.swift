import Files
package import FirestoreModels

/// Up to when each collection of a database is held by the exports of a folder: what the next increment begins at.
///
/// The marks are moved after an export has its final name, so that nothing between two of them is missed; an export
/// that dies in between is exported twice.
package struct HighWaterMarks: Sendable {
  /// The file's name within the folder.
  package static let fileName = ".high-water-mark.json"

  /// How far before the moment of an export its mark is put, in seconds.
  ///
  /// `updatedAt` may be a little older than the commit that made it visible: the service's own is rounded down to
  /// milliseconds, and what an app wrote by its own clock is as late as that clock is slow. What lies in the overlap is
  /// exported twice, which an import does not mind.
  package static let overlap: Int64 = 600

  private struct Key: Hashable {
    var database: DatabaseName
    var collection: CollectionPath
  }

  private let path: String
  private var marks: [Key: Timestamp] = [:]

  /// Reads the marks of a folder; none where it has none yet.
  ///
  /// - Throws: `.inputMalformed` where the file is damaged: a mark that is made up would leave documents out.
  package init(in folder: String) throws(Failure) {
    path = "\(folder)/\(Self.fileName)"
    let read = try JSONFile.read(path) { json throws(WireError) -> [Key: Timestamp] in
      guard let list = json["marks"], list.kind == .array else {
        throw WireError("it is not a list", at: ["marks"])
      }
      var marks: [Key: Timestamp] = [:]
      for element in list.elements {
        guard let database = element["database"]?.string.flatMap({ DatabaseName(parsing: $0) }),
          let collection = element["collection"]?.string.flatMap({ CollectionPath($0) }),
          let since = element["since"]?.string.flatMap({ Timestamp($0) })
        else { throw WireError("it holds something that is no mark", at: ["marks"]) }
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

  /// Moves the marks of collections to what an export of a moment holds, never back, and writes the file.
  ///
  /// - Throws: `.cannotWrite`; the file is as it was then.
  package mutating func move(
    _ collections: [CollectionPath],
    of database: DatabaseName,
    exportedAt moment: Timestamp
  ) throws(Failure) {
    guard let mark = Timestamp(seconds: moment.seconds - Self.overlap, nanoseconds: moment.nanoseconds) else {
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
            json.key("collection")
            json.string(key.collection.string)
            json.key("database")
            json.string(key.database.description)
            json.key("since")
            json.timestamp(since)
          }
        }
      }
    }
    try JSONFile.write(json.bytes, to: path)
  }
}
