/// An object as the JSON API describes it.
///
/// https://cloud.google.com/storage/docs/json_api/v1/objects#resource-representations
package struct StorageResource: Sendable, Equatable {
  /// The members that are requested.
  static let members = "name,generation,size,crc32c,updated,metadata"

  /// The metadata key that marks objects written by this program; its value is the kind of the object.
  static let mark = "gymmigrate"
  /// The metadata key of the upload's ID, which resolves lost responses.
  static let upload = "gymmigrate-upload"

  var name: String
  var generation: Int64
  var bytes: Int
  /// The checksum in Base64; nil if the server does not provide it.
  var crc32c: String?
  var updatedAt: Timestamp
  var metadata: [String: String]

  var version: ObjectVersion { ObjectVersion(String(generation)) }

  /// Whether this program wrote it as an object of a kind.
  func isOf(kind: String) -> Bool { metadata[Self.mark]?.isIdentical(to: kind) ?? false }

  init(_ json: JSONCursor) throws(WireError) {
    func text(_ name: StaticString) throws(WireError) -> String {
      guard let text = json[name]?.string else { throw WireError("it is not a text", at: ["\(name)"]) }
      return text
    }
    name = try text("name")
    guard let generation = Int64(try text("generation")), generation > 0 else {
      throw WireError("it is not a generation", at: ["generation"])
    }
    self.generation = generation
    guard let bytes = Int(count: try text("size")) else { throw WireError("it is not a count", at: ["size"]) }
    self.bytes = bytes
    crc32c = json["crc32c"]?.string
    guard let updated = Timestamp(try text("updated")) else {
      throw WireError("it is not a time", at: ["updated"])
    }
    updatedAt = updated
    metadata = [:]
    guard let members = json["metadata"], members.kind == .object else { return }
    for (name, value) in members.members { metadata[name.string] = value.string }
  }
}

/// One page of a list of objects.
struct StorageList {
  var objects: [StorageResource] = []
  /// The common prefixes of names up to and including the delimiter.
  var prefixes: [String] = []
  var nextPageToken: String?

  init(_ json: JSONCursor) throws(WireError) {
    guard json.kind == .object else { throw WireError("it is not an object") }
    // Without items, it would pass for an empty list.
    if json["error"] != nil { throw WireError("it is an error with status 200") }
    for item in json.list("items") { objects.append(try StorageResource(item)) }
    for prefix in json.list("prefixes") {
      guard let text = prefix.string else { throw WireError("it is not a text", at: ["prefixes"]) }
      prefixes.append(text)
    }
    nextPageToken = json["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension JSONCursor {
  /// Returns the elements of a member; none if it is missing.
  func list(_ name: StaticString) -> [JSONCursor] { self[name].map { Array($0.elements) } ?? [] }
}
