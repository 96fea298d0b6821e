/// The names that an exported workbook defines for each sheet.
///
/// There are names for its collection, for how its cells were written (``Writing``), and for a sheet that shows documents
/// differently from how they are stored.
///
/// A list of rejected rows has the same marks as words of a heading (``RejectOrigin``).
///
/// The name of a sheet cannot identify its collection, as it is shortened and has no slashes. A defined name that is local
/// to the sheet follows it wherever spreadsheets move or rename it. Letters and digits of the collection represent
/// themselves; every other byte is `_` and two hexadecimal digits. What is too long for one name is divided among several,
/// with numbers: `gymmigrate.collection.2.…`.
enum SheetMark {
  /// What determines how cells are read back, each with a name of its own; the last ones are of lists of rejected rows alone.
  enum Writing: String, CaseIterable {
    /// The zone of the sheet's times.
    case zone
    /// The schema that declares its columns.
    case schema
    /// The token for null, unless it is `null`.
    case null
    /// The language of its headings, if they are labels.
    case header
    /// The name of the sheet itself, by which ``ExactValues`` know it.
    case sheet
    /// The number of the sheet in its workbook, from 1.
    case number
    /// Whether numbers have a decimal comma.
    case comma
    /// The database of the export.
    case database
    /// Whether the columns that an option skips are left out.
    case skipped
  }

  private static let prefix = "gymmigrate.collection."
  /// The name for a sheet that shows documents differently from how they are stored.
  static let view = "gymmigrate.view"
  /// The library's limit for a defined name with its sheet, in bytes.
  private static let maximumLength = 127

  /// Returns the names for a collection.
  static func names(of collection: CollectionPath, inSheet sheet: String) -> [String] {
    let text = encoded(collection.string)
    let room = maximumLength - sheet.utf8.count - "''!".utf8.count - prefix.utf8.count
    if text.utf8.count <= room { return [prefix + text] }
    var rest = Array(text.utf8)[...]
    var names: [String] = []
    while !rest.isEmpty {
      let number = "\(names.count + 1)."
      let part = rest.prefix(max(1, room - number.utf8.count))
      names.append(prefix + number + String(decoding: part, as: UTF8.self))
      rest = rest.dropFirst(part.count)
    }
    return names
  }

  /// Returns the name for what determines how cells are read back; nil if it is too long.
  ///
  /// It fits for every zone, even beside the longest name of a sheet.
  static func name(of writing: Writing, _ value: String, inSheet sheet: String) -> String? {
    let name = self.name(of: writing, value)
    return name.utf8.count + sheet.utf8.count + "''!".utf8.count <= maximumLength ? name : nil
  }

  /// Returns the name for what determines how cells are read back, however long it is.
  static func name(of writing: Writing, _ value: String) -> String { prefix(of: writing) + encoded(value) }

  private static func prefix(of writing: Writing) -> String { "gymmigrate.\(writing.rawValue)." }

  private static func encoded(_ name: String) -> String {
    // A mark without a value would be no name.
    var text = name.isEmpty ? "_" : ""
    for byte in name.utf8 {
      if byte.isASCIILetterOrDigit {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "_" + String(byte, radix: 16, uppercase: true).padded(to: 2)
      }
    }
    return text
  }

  /// Returns the number and the text of one of several names; nil for any other name.
  static func part(of name: String) -> (number: Int, text: String)? {
    guard name.hasPrefix(prefix) else { return nil }
    let parts = name.dropFirst(prefix.count).split(
      separator: ".",
      maxSplits: 1,
      omittingEmptySubsequences: false
    )
    guard parts.count == 2, let number = Int(count: String(parts[0])) else { return nil }
    return (number, String(parts[1]))
  }

  /// Returns the collection of several names, given by their numbers; nil if one is missing.
  static func collection(ofParts parts: [Int: String]) -> CollectionPath? {
    guard !parts.isEmpty else { return nil }
    let texts = (1...parts.count).compactMap { parts[$0] }
    return texts.count == parts.count ? collection(of: prefix + texts.joined()) : nil
  }

  /// Returns the collection of a name; nil for any other name.
  static func collection(of name: String) -> CollectionPath? {
    text(of: name, prefix).flatMap { CollectionPath($0) }
  }

  /// Returns what a name says about how cells are read back; nil for any other name.
  static func writing(of name: String) -> (Writing, String)? {
    for writing in Writing.allCases {
      if let value = text(of: name, prefix(of: writing)) { return (writing, value) }
    }
    return nil
  }

  private static func text(of name: String, _ prefix: String) -> String? {
    guard name.hasPrefix(prefix) else { return nil }
    var rest = Array(name.utf8.dropFirst(prefix.utf8.count))[...]
    if rest.elementsEqual("_".utf8) { return "" }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte.isASCIILetterOrDigit {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard byte == UInt8(ascii: "_"), digits.count == 2,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(code)
      rest.removeFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
