import Foundation

/// A document of a snapshot.
///
/// Two are equal if the bytes of their names and fields are.
package struct MiniDocument: Sendable, Hashable, CustomStringConvertible {
  /// The name relative to the database, such as `users/u1`.
  package let name: String
  /// The fields as REST JSON in one fixed form: members sorted bytewise, no spaces, empty parts left out.
  package let fieldsJSON: String
  /// When the document was created; not compared.
  package let createTime: String
  /// When the document last changed; not compared.
  package let updateTime: String

  init(_ path: MiniPath, _ document: MiniStored) {
    var encoder = MiniEncoder(root: "", isAwkward: false, seed: 0)
    name = path.name.string
    fieldsJSON = String(decoding: JSONWriter.compact(encoder.fields(document.fields)), as: UTF8.self)
    createTime = document.createTime.text
    updateTime = document.updateTime.text
  }

  /// The fields as Foundation reads them (which merges names that are canonically equivalent).
  package func fields() throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(fieldsJSON.utf8)) as? [String: Any] ?? [:]
  }

  /// A line of JSON Lines, as `MiniFirestore.load(jsonLines:)` reads it.
  package var jsonLine: String {
    let name = String(decoding: JSONWriter.compact(.text(name)), as: UTF8.self)
    return "{\"fields\":\(fieldsJSON),\"name\":\(name)}"
  }

  /// The line of JSON Lines.
  package var description: String { jsonLine }

  /// Compares bytes.
  package static func == (left: MiniDocument, right: MiniDocument) -> Bool {
    left.name.utf8.elementsEqual(right.name.utf8) && left.fieldsJSON.utf8.elementsEqual(right.fieldsJSON.utf8)
  }

  /// Hashes the bytes of the name.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(Array(name.utf8))
  }
}
