package import Files
import FirestoreModels

/// What the members of the object in a JSON file are.
package enum JSONForm: String, Codable, Sendable, CaseIterable {
  /// Documents by their IDs.
  case documents
  /// Collections by their names, of documents by their IDs, as firestore-export-import writes them.
  case collections

  /// The member of a document with the collections below it.
  package var below: String { self == .documents ? "__collections__" : "subCollection" }

  /// Determines the form of a file; `.documents` also for a file that is not an object of objects.
  ///
  /// A subcollection below a document implies collections, and a value other than a map beside the maps implies documents.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` if the file is inconclusive.
  package init(ofFile path: String, via files: FileAccess) throws(Failure) {
    var file = try InputFile(path, via: files)
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { chunk.deallocate() }
    var scan = FormScan()
    while true {
      let count = try file.read(into: chunk)
      if count == 0 { break }
      for byte in chunk[..<count] {
        guard let found = scan.next(byte) else { continue }
        if scan.isOneDocument {
          throw .malformed(
            path,
            "its members may be documents by their ids, or the fields of one, as firestore-backup-restore writes them",
            remedy: "Name the folder of the whole backup, or --json-form documents decides."
          )
        }
        self = found
        return
      }
    }
    if scan.isObjectOfObjects {
      throw .malformed(
        path,
        "its members may be documents by their ids, or collections of documents",
        remedy: "--json-form documents or --json-form collections decides."
      )
    }
    self = .documents
  }
}

/// Scans a file byte by byte for evidence of its form.
private struct FormScan {
  /// Whether all values so far, two levels deep, are objects.
  private(set) var isObjectOfObjects = false
  /// Whether the first member of the file's object is a value with its type.
  private(set) var isOneDocument = false
  /// The keys of that first member, and the form found before its end.
  private var keys: [[UInt8]]? = []
  private var found: JSONForm?
  private var depth = 0
  private var isInText = false
  private var isEscaped = false
  /// The last text, which is a key if a colon follows; only the beginning of a long one.
  private var text: [UInt8] = []
  private var isValue = false
  private var isBelow = false
  private var isFirst = true

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private static let white = Set(" \t\r\n".utf8)
  /// Members that only documents have, which are evidence as the first key of the file, too.
  private static let members = ["__collections__", "fields"].map { Array($0.utf8) }

  /// First members of the objects that libraries and MongoDB write for values; these are fields rather than documents.
  private static let values = [
    "_seconds", "_latitude", "__datatype__", "$date", "$oid", "$numberInt", "$numberLong", "$numberDouble",
    "$numberDecimal", "$binary",
  ].map { Array($0.utf8) }

  /// Consumes a byte and returns the form once it is known, but not before the end of the first member of the file's
  /// object.
  mutating func next(_ byte: UInt8) -> JSONForm? {
    let wasInside = depth == 2
    let now = take(byte)
    found = found ?? now
    guard let keys else { return found }
    if depth >= 2 { return nil }
    if wasInside {
      isOneDocument = keys.count == 2 && Self.typed.allSatisfy { keys.contains($0) }
      self.keys = nil
    }
    return isOneDocument ? .documents : found
  }

  private static let typed = ["value", "type"].map { Array($0.utf8) }

  private mutating func take(_ byte: UInt8) -> JSONForm? {
    if isInText { return takeText(byte) }
    if Self.white.contains(byte) { return nil }
    if depth == 0, byte != UInt8(ascii: "{") { return Self.mark.contains(byte) ? nil : .documents }
    let found = takeBegin(of: byte)
    switch byte {
    case UInt8(ascii: "\""): (isInText, text) = (true, [])
    case UInt8(ascii: ":"): return takeKey()
    case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      depth -= 1
      if depth == 3 { isBelow = false }
    default: break
    }
    return found
  }

  /// Returns the form that the beginning of a value implies.
  private mutating func takeBegin(of byte: UInt8) -> JSONForm? {
    guard isValue else { return nil }
    isValue = false
    if depth <= 2, byte != UInt8(ascii: "{") { return .documents }
    if depth == 2 { isObjectOfObjects = true }
    return nil
  }

  private mutating func takeText(_ byte: UInt8) -> JSONForm? {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInText = false
      return nil
    }
    if text.count < 256 { text.append(byte) }
    return nil
  }

  private mutating func takeKey() -> JSONForm? {
    isValue = true
    let tells = depth == 2 || depth == 1 && isFirst
    isFirst = false
    if depth == 2, keys?.count ?? 3 < 3 { keys?.append(text) }
    if tells, Self.members.contains(text) { return .documents }
    if depth == 3, Self.values.contains(text) { return .documents }
    if depth == 3 { isBelow = text.elementsEqual(JSONForm.collections.below.utf8) }
    return depth == 4 && isBelow && text.contains(UInt8(ascii: "/")) ? .collections : nil
  }
}
