import FirestoreModels

/// Reads the documents of an answer, and refuses those that cannot be in it.
///
/// What a document is called decides what is written where. So a name is full, lies in the database, and is one that was asked
/// for: a server that answers otherwise is not the service.
struct AnswerReader {
  private let prefix: String
  private var decoder = WireDecoder()

  /// Makes a reader of answers about one database.
  init(_ database: DatabaseName) {
    prefix = database.documents + "/"
    decoder.wantsFullNames = true
  }

  /// Reads a document.
  ///
  /// - Parameter isAsked: Whether a document of that path was asked for.
  /// - Throws: `.foreign` for a document that was not asked for, `.unreadable` for one with a value that cannot be read.
  mutating func document(
    _ json: JSONCursor,
    isAsked: (DocumentPath) -> Bool
  ) throws(CallFailure) -> RawDocument {
    let document: RawDocument
    do throws(WireError) {
      document = try decoder.document(json, prefix: prefix)
    } catch {
      if error.location.first == "name" {
        throw .foreign("the answer holds what is no document of the database: \(error)")
      }
      throw .unreadable("the answer holds something that is no document: \(error)")
    }
    guard isAsked(document.path), !document.path.holdsDots else {
      throw .foreign(
        "the answer holds a document that was not asked for: '\(PathLimits.shortened(document.path.string))'"
      )
    }
    return document
  }

  /// Reads the ids of collections.
  ///
  /// - Throws: `.malformed`, and `.foreign` for what is no id of a collection.
  static func collectionIDs(_ root: JSONCursor) throws(CallFailure) -> [String] {
    guard let list = root["collectionIds"] else { return [] }
    guard list.kind == .array else { throw .malformed("the ids of collections are not a list") }
    var ids: [String] = []
    for element in list.elements {
      guard let id = element.string else { throw .malformed("the id of a collection is not a text") }
      guard let path = CollectionPath(id), path.parent == nil, !path.holdsDots else {
        throw .foreign("the answer names the collection '\(PathLimits.shortened(id))'")
      }
      ids.append(id)
    }
    return ids
  }
}

extension CollectionRead {
  /// Whether a document is one that the read can give, by its path.
  func mayGive(_ path: DocumentPath) -> Bool {
    switch reach {
    case .collection: path.isIn(collection)
    case .subcollections:
      path.string.utf8.count > collection.string.utf8.count
        && path.string.utf8.starts(with: collection.string.utf8)
        && path.string.utf8.dropFirst(collection.string.utf8.count).first == UInt8(ascii: "/")
    // What does not match a pattern is dropped later.
    case .group, .pattern: path.collection.id.isIdentical(to: collection.id)
    }
  }
}

extension DocumentPath {
  /// Whether an id in it is `.` or `..`, which no document has, and which would lead elsewhere within a URL.
  fileprivate var holdsDots: Bool { AnsweredPath.holdsDots(string) }
}

extension CollectionPath {
  /// As ``DocumentPath/holdsDots``.
  fileprivate var holdsDots: Bool { AnsweredPath.holdsDots(string) }
}

private enum AnsweredPath {
  static func holdsDots(_ path: String) -> Bool {
    var (length, dots) = (0, 0)
    for byte in path.utf8 {
      if byte == UInt8(ascii: "/") {
        if dots == length, dots == 1 || dots == 2 { return true }
        (length, dots) = (0, 0)
      } else {
        length += 1
        if byte == UInt8(ascii: ".") { dots += 1 }
      }
    }
    return dots == length && (dots == 1 || dots == 2)
  }
}
