import Files
import Platform

/// The parts of a workbook: sheets, styles and calendar.
package struct XLSXPackage: Sendable {
  package struct Sheet: Sendable {
    package var name: String
    package var isHidden: Bool
    /// Whether it is a ``SummarySheet``, which is not a table.
    package var isSummary = false
    /// The collection of the export that wrote it.
    package var collection: CollectionPath?
    /// Whether an export wrote its documents differently from how they are stored.
    package var isView = false
    /// How an export wrote it.
    package var writing = TableWriting()
    /// The name that the export gave it, which people may have changed.
    var exportedName: String?
    /// The name in the export, as far as it is known.
    var originalName: String { exportedName ?? name }
    /// Whether people may have made it from another sheet, by copying it or by giving it the name of another one.
    var mayBeCopy: Bool { exportedName == nil && !(collection?.string.isIdentical(to: name) ?? false) }
    /// The name of its entry in the archive.
    package var part: String
  }

  package let path: String
  package private(set) var sheets: [Sheet] = []
  package private(set) var sharedStrings: String?
  private(set) var styles = XLSXStyles()
  /// Whether days are counted from 1904, as on old Macs.
  package private(set) var countsFrom1904 = false

  /// More sheets or parts than any real workbook has.
  private static let maximumParts = 10_000

  /// Reads the structure of a workbook.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing`; `inputMalformed` if it is not a workbook, or an old or
  ///   password-protected one.
  package init(_ path: String) throws(Failure) {
    self.path = path
    try Self.assertZIP(path)
    var main: String?
    for (type, target, _) in try Self.relations(of: "", in: path) where type.hasSuffix("/officeDocument") {
      main = target
    }
    guard let main else { throw Failure.malformed(path, "it is a ZIP file but not a workbook") }

    let found = Found()
    let isThere = try XMLStream.read(main, in: path) { handler, name, attributes in
      if name.isNamed("sheet"), let title = attributes["name"], let id = attributes.relation {
        if found.sheets.count >= Self.maximumParts { return handler.refuse("it has too many sheets") }
        found.sheets.append((title, id, attributes["state"].map { $0 != "visible" } ?? false))
      } else if name.isNamed("definedName"), let name = attributes["name"],
        let index = attributes["localSheetId"].flatMap({ Int($0) })
      {
        if name == SummaryWriter.mark { found.summaries.insert(index) }
        if name == SheetMark.view { found.views.insert(index) }
        if let collection = SheetMark.collection(of: name) { found.collections[index] = collection }
        if let (writing, value) = SheetMark.writing(of: name) {
          found.writings[index, default: [:]][writing] = value
        }
        if let part = SheetMark.part(of: name), part.number <= Self.maximumParts {
          found.parts[index, default: [:]][part.number] = part.text
        }
      } else if name.isNamed("workbookPr"), let value = attributes["date1904"] {
        found.countsFrom1904 = value == "1" || value == "true"
      }
    }
    guard isThere else { throw Failure.malformed(path, "its \(main) is missing") }
    countsFrom1904 = found.countsFrom1904

    let relations = try Self.relations(of: main, in: path)
    var parts: [String: String] = [:]
    for (type, target, id) in relations {
      if type.hasSuffix("/worksheet") { parts[id] = target }
      if type.hasSuffix("/sharedStrings") { sharedStrings = target }
      if type.hasSuffix("/styles") { styles = try XLSXStyles(target, in: path) }
    }
    // Sheets of charts or macros are not worksheets.
    for (index, (name, id, isHidden)) in found.sheets.enumerated() {
      if !relations.contains(where: { $0.id == id }) {
        throw Failure.malformed(path, "the part of its sheet '\(name)' is missing")
      }
      guard let part = parts[id] else { continue }
      var sheet = Sheet(name: name, isHidden: isHidden, part: part)
      sheet.isSummary = found.summaries.contains(index)
      sheet.isView = found.views.contains(index)
      sheet.collection =
        found.collections[index] ?? found.parts[index].flatMap(SheetMark.collection(ofParts:))
      if let writing = found.writings[index] {
        sheet.writing.timeZone = writing[.zone]
        sheet.writing.schema = writing[.schema]
        sheet.writing.nullText = writing[.null]
        sheet.writing.headerLanguage = writing[.header]
        sheet.exportedName = writing[.sheet]
      }
      sheets.append(sheet)
    }
  }

  private final class Found {
    var sheets: [(name: String, id: String, isHidden: Bool)] = []
    /// The indices of the summary sheets, and of those that show documents differently from how they are stored.
    var (summaries, views): (Set<Int>, Set<Int>) = ([], [])
    var collections: [Int: CollectionPath] = [:]
    var writings: [Int: [SheetMark.Writing: String]] = [:]
    /// The parts of collection names that are too long for a single defined name.
    var parts: [Int: [Int: String]] = [:]
    var countsFrom1904 = false
    var relations: [(type: String, target: String, id: String)] = []
  }

  private static func assertZIP(_ path: String) throws(Failure) {
    try InputFile.assertReadable(path)
    let head = try FileHead(path)
    // An empty archive begins with the bytes of its end.
    if head.content == .workbook || head.bytes.starts(with: "PK".utf8) && head.content == .text { return }
    let ways = "If it is CSV, let its name end in .csv, or import it with --format csv."
    let remedy = head.content == .text ? ways : nil
    throw InputFormat.refusal(of: path, nil, head.content)
      ?? .malformed(path, "it is not an XLSX workbook", remedy: remedy)
  }

  /// Returns the relations of a part, with targets as archive entries.
  private static func relations(
    of part: String,
    in path: String
  ) throws(Failure) -> [(type: String, target: String, id: String)] {
    let slash = part.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(part[..<$0]) } ?? ""
    let name = slash.map { String(part[part.utf8.index(after: $0)...]) } ?? part
    let found = Found()
    try XMLStream.read("\(folder.isEmpty ? "" : folder + "/")_rels/\(name).rels", in: path) {
      handler,
      name,
      attributes in
      guard name.isNamed("Relationship"), let type = attributes["Type"], let target = attributes["Target"],
        let id = attributes["Id"], attributes["TargetMode"] != "External"
      else { return }
      if found.relations.count >= Self.maximumParts { return handler.refuse("it has too many parts") }
      found.relations.append((type, resolve(target, in: folder), id))
    }
    return found.relations
  }

  /// Returns the entry of a target relative to a folder; some programs write backslashes.
  private static func resolve(_ target: String, in folder: String) -> String {
    let target = target.replacing("\\", with: "/")
    var segments = target.hasPrefix("/") ? [] : folder.split(separator: "/").map(String.init)
    for segment in target.split(separator: "/") where segment != "." {
      if segment == ".." { _ = segments.popLast() } else { segments.append(String(segment)) }
    }
    return segments.joined(separator: "/")
  }
}
