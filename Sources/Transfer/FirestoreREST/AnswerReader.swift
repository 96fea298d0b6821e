/// Decodes the documents of a response, and refuses documents that were not requested.
///
/// The name of a document decides what is written where. So it must be a full name in this database, and must
/// have been requested: a server that returns anything else is not Firestore.
struct AnswerReader {
  private let prefix: String
  private var decoder = WireDecoder()

  init(_ database: DatabaseName) {
    prefix = database.documents + "/"
    decoder.wantsFullNames = true
  }

  /// Decodes a document.
  ///
  /// - Parameter isAsked: Whether the document was requested.
  /// - Throws: `.foreign` for a document that was not requested, `.unreadable` for one with an invalid value.
  mutating func document(
    _ json: JSONCursor,
    isAsked: (DocumentPath) -> Bool
  ) throws(CallFailure) -> RawDocument {
    let document: RawDocument
    do throws(WireError) {
      document = try decoder.document(json, prefix: prefix)
    } catch {
      throw Self.failure(of: error)
    }
    try Self.assertAsked(document.path, isAsked)
    return document
  }

  /// Reads the path of a document, leaving its fields on the tape.
  ///
  /// - Throws: The errors of ``document(_:isAsked:)``; the fields are checked when they are accessed.
  func wireDocument(_ json: JSONCursor, isAsked: (DocumentPath) -> Bool) throws(CallFailure) -> WireDocument {
    let document: WireDocument
    do throws(WireError) {
      document = try decoder.wireDocument(json, prefix: prefix)
    } catch {
      throw Self.failure(of: error)
    }
    try Self.assertAsked(document.path, isAsked)
    return document
  }

  /// Returns the failure of a document that cannot be decoded.
  static func failure(of error: WireError) -> CallFailure {
    if error.isRepetition { return .malformed("the response has a document with a member twice: \(error)") }
    return error.location.first == "name"
      ? .foreign("the response has a document that is not in the database: \(error)")
      : .unreadable("the response has an invalid document: \(error)")
  }

  private static func assertAsked(
    _ path: DocumentPath,
    _ isAsked: (DocumentPath) -> Bool
  ) throws(CallFailure) {
    if isAsked(path), !path.string.holdsDots { return }
    throw .foreign(
      "the response has a document that was not requested: '\(PathLimits.shortened(path.string))'"
    )
  }

  /// Decodes collection IDs.
  ///
  /// - Throws: `.malformed`, or `.foreign` for an invalid ID.
  static func collectionIDs(_ root: JSONCursor) throws(CallFailure) -> [String] {
    try root.list("collectionIds", called: "the collection IDs") { element throws(CallFailure) in
      guard let id = element.string else { throw .malformed("a collection ID is not a string") }
      guard let path = CollectionPath(id), path.parent == nil, !id.holdsDots else {
        throw .foreign("the response has the invalid collection ID '\(PathLimits.shortened(id))'")
      }
      return id
    }
  }
}

extension JSONCursor {
  /// Decodes the list in a member of a response; an empty list has no such member.
  ///
  /// - Throws: As ``answered(_:called:)`` and `decode`.
  func list<Element>(
    _ name: StaticString,
    called what: String,
    _ decode: (JSONCursor) throws(CallFailure) -> Element
  ) throws(CallFailure) -> [Element] {
    try answered(name, called: what)?.elements.map(decode) ?? []
  }

  /// Returns the list in a member of a response; nil for an empty list, which has no such member.
  ///
  /// - Throws: `.malformed` if the response is not an object, or the member is not a list; also for an object with other members
  ///   alone, which is a gateway's own answer and would pass for an empty list.
  func answered(_ name: StaticString, called what: String) throws(CallFailure) -> JSONCursor? {
    try assertObject()
    if let list = self[name] {
      guard list.kind == .array else { throw .malformed("\(what) are not a list") }
      return list
    }
    let isOurs = self["nextPageToken"] != nil || self["unreachable"] != nil
    guard isOurs || isEmptyObject else { throw .malformed("the response has other members than \(what)") }
    return nil
  }

  private var isEmptyObject: Bool { kind == .object && !members.contains { _ in true } }

  /// Refuses a response that is not an object, or an error with status 200, which some gateways send.
  ///
  /// Otherwise, an error would pass for an empty list, because the requested member is missing.
  func assertObject() throws(CallFailure) {
    if kind != .object { throw .malformed("the response is not an object") }
    guard let error = self["error"] else { return }
    if let error = ErrorBody.read(error, httpCode: nil) { throw .service(error) }
    throw .malformed("the response has an error that is not an object")
  }

  /// The token of the page after this response; nil for the last page.
  var nextPageToken: String? { self["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 } }

  /// A member that is a time; nil if there is none.
  func time(_ name: StaticString) -> Timestamp? { self[name]?.string.flatMap { Timestamp($0) } }
}

extension CollectionRead {
  /// Whether the read can return a document with this path.
  func mayGive(_ path: DocumentPath) -> Bool {
    switch reach {
    case .collection: path.isIn(collection)
    case .subcollections: path.isBelow(collection)
    // Documents that do not match the pattern are dropped later.
    case .group, .pattern: path.collection.id.isIdentical(to: collection.id)
    }
  }
}

extension String {
  /// Whether an ID of this path is `.` or `..`, which no document has and which would address something else in a URL.
  fileprivate var holdsDots: Bool {
    // Few paths have a dot at all.
    if withBytes({ $0.position(of: UInt8(ascii: ".")) == nil }) { return false }
    var (length, dots) = (0, 0)
    for byte in utf8 {
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
