import Files
package import Schema

/// The exact values of one sheet's cells, from a workbook's hidden sheet (see ``ExactValues``).
///
/// They are on disk; memory holds 16 bytes for each document that has any, because rows may have been sorted.
package final class ExactValueIndex {
  /// A value and the text of its cell, as ranges of ``bytes``.
  private struct Entry {
    var column: Int
    var kind: CellRow.Kind
    var shown: Range<Int>
    var value: Range<Int>
  }

  /// The position of a document's entries.
  private struct Place {
    var hash: UInt64
    var start: Int
  }

  /// The maximum number of documents with exact values in a workbook.
  private static let maximumDocuments = 4_000_000
  /// The maximum size of the entries that are read together, more than any document has.
  private static let maximumGroup = 1 << 20
  /// The maximum size of the entries of a row, for documents of the same name.
  private static let maximumRow = 16 << 20

  private let path: String
  private let nameColumn: Int
  /// The columns by the bytes of their field paths, and numbers for fields that have none.
  private var columns: [[UInt8]: Int]
  /// Whether the values are those of another sheet, or of documents in a column `__name__` that the sheet lacks, so that none
  /// of them is taken.
  private var isForeign: Bool
  /// The cells that show values which they do not take.
  private var unclaimed: UnclaimedValues
  private let parser = JSONParser()
  private var spool: SpoolFile
  private var places: [Place] = []
  /// The types of the values of each column; nil represents those that no text shows.
  private var types: [Int: Set<Column.ValueType?>] = [:]
  /// The columns with times.
  private var times: Set<Int> = []
  /// Whether its times, and hence every other time of the workbook, were rounded to less than milliseconds.
  package private(set) var isRounded = false
  /// The entries of the current row, and their bytes.
  private var entries: [Entry] = []
  private var bytes: [UInt8] = []

  /// Reads the exact values of a sheet; nil if there are none.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` for a damaged hidden sheet, or `cannotWrite`.
  package init?(of path: String, sheet: String, _ plan: TablePlan) throws(Failure) {
    guard let nameColumn = plan.idColumn else { return nil }
    let sheets = try XLSXPackage(path).sheets
    guard sheets.contains(where: { Self.isNamed($0.name) }) else { return nil }
    isForeign = plan.nameColumn == nil
    self.path = path
    self.nameColumn = nameColumn
    columns = plan.columnsByField
    unclaimed = UnclaimedValues(plan)
    spool = try SpoolFile(in: FilePaths.temporaryFolder(for: "-"))
    let own = sheets.first { $0.name.isIdentical(to: sheet) }
    places = try places(
      ExactValueOwners(of: own?.originalName ?? sheet, among: sheets.map(\.originalName)),
      sheets
    )
    if places.isEmpty, !isForeign, own?.mayBeCopy ?? false {
      isForeign = true
      places = try places(.all, sheets)
    }
    if places.isEmpty { return nil }
  }

  /// Reads the values of some owners, and returns where they are.
  private func places(
    _ owners: ExactValueOwners,
    _ sheets: [XLSXPackage.Sheet]
  ) throws(Failure) -> [Place] {
    var groups = Groups(owners: owners)
    for candidate in sheets {
      guard var reader = try Self.open(candidate.name, isHidden: candidate.isHidden, of: path) else {
        continue
      }
      while try reader.nextTexts() { try add(reader.row, in: candidate.name, to: &groups) }
    }
    try end(&groups)
    return try groups.sorted()
  }

  /// Returns sentences about cells that show exact values which they do not take.
  package func warnings(_ plan: TablePlan) -> [String] {
    unclaimed.warnings(plan, columns, isForeign: isForeign)
  }

  // MARK: The hidden sheets

  /// Whether a sheet contains exact values rather than a collection.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed`.
  package static func isSheet(_ name: String, of path: String) throws(Failure) -> Bool {
    try open(name, isHidden: false, of: path) != nil
  }

  private static func isNamed(_ name: String) -> Bool {
    name.isIdentical(to: ExactValues.sheetName)
      || (name.hasPrefix("\(ExactValues.sheetName) (") && name.hasSuffix(")"))
  }

  /// Opens a sheet and reads its header; nil if the sheet does not contain exact values.
  private static func open(
    _ name: String,
    isHidden: Bool,
    of path: String
  ) throws(Failure) -> TableReader? {
    guard isNamed(name) else { return nil }
    var reader = try TableReader(path, format: .xlsx, sheet: name)
    let texts = try reader.next() ? reader.row.texts : []
    if texts.elementsEqual(ExactValues.header, by: { $0.isIdentical(to: $1) }) { return reader }
    // A collection may have such a name.
    if !isHidden || texts.first?.isIdentical(to: TablePlan.nameHeading) ?? false { return nil }
    throw damaged(path, name, row: max(1, reader.row.number), "its columns are not \(ExactValues.header)")
  }

  private static func damaged(_ path: String, _ sheet: String, row: Int, _ cause: String) -> Failure {
    .malformed(
      path,
      "sheet \(sheet), row \(row): \(cause)",
      remedy: "Delete the sheet to import what the other sheets show, or export the workbook again."
    )
  }

  // MARK: Filling

  /// The entries of a document before they are written to disk, and the positions of those written.
  private struct Groups: ~Copyable {
    var owners: ExactValueOwners
    /// The positions so far; their number is known only at the end.
    var places = DiskSort<NumberRecord>()
    var count = 0
    /// The name of the document in ``bytes``.
    var name: [UInt8] = []
    /// The length of the name, the name, and the entries.
    var bytes: [UInt8] = []

    consuming func sorted() throws(Failure) -> [Place] {
      var found: [Place] = []
      found.reserveCapacity(count)
      var sorted = try places.sorted()
      while let record = try sorted.next() {
        found.append(Place(hash: record.first, start: Int(record.second)))
      }
      return found
    }
  }

  private func add(_ row: CellRow, in sheet: String, to groups: inout Groups) throws(Failure) {
    func damaged(_ cause: String) -> Failure { Self.damaged(path, sheet, row: row.number, cause) }
    if (0...2).contains(where: { row.withUTF8(of: $0, \.isEmpty) }) {
      throw damaged("it does not name the sheet, the document and the field of its value")
    }
    switch row.withUTF8(of: 0, { groups.owners.take($0) }) {
    case .other: return
    case .better:
      groups.places = DiskSort()
      groups.count = 0
      groups.bytes.removeAll()
      types.removeAll()
      unclaimed.reset()
      times.removeAll()
    case .same: break
    }
    let exact: Value
    do throws(WireError) {
      exact = try row.withUTF8(of: 4) { utf8 throws(WireError) in try value(utf8) }
    } catch {
      throw damaged("its value is not that of a field in JSON: \(error)")
    }
    let field = row.withUTF8(of: 2) { Array($0) }
    let known = columns[field]
    let column = known ?? UnclaimedValues.firstField + columns.count
    if known == nil { columns[field] = column }
    let isTaken = !isForeign && column < UnclaimedValues.firstField
    if isTaken { unclaimed.take(column) }
    // An empty text says nothing about the type of other values in its column.
    if isTaken, exact != .string("") { types[column, default: []].insert(Self.addressType(of: exact)) }
    if isTaken, case .timestamp(let moment) = exact {
      times.insert(column)
      if row.kind(3) == .date, Self.isRounded(row[3], moment) { isRounded = true }
    }
    let isSameDocument = !groups.bytes.isEmpty && row.withUTF8(of: 1) { $0.elementsEqual(groups.name) }
    if !isSameDocument || groups.bytes.count > Self.maximumGroup {
      try end(&groups)
      groups.name = row.withUTF8(of: 1) { Array($0) }
      Self.append(groups.name[...], to: &groups.bytes)
    }
    withUnsafeBytes(of: UInt32(column)) { groups.bytes.append(contentsOf: $0) }
    groups.bytes.append(row.kind(3).rawValue)
    row.withUTF8(of: 3) { Self.append($0, to: &groups.bytes) }
    row.withUTF8(of: 4) { Self.append($0, to: &groups.bytes) }
  }

  /// Whether a date such as `2026-12-31T18:30:00.070` differs from a time by more than a millisecond, in any zone.
  private static func isRounded(_ shown: String, _ moment: Timestamp) -> Bool {
    let digits = shown.split(separator: ".").dropFirst().first ?? ""
    let nanoseconds = Int32("\(digits)000000000".prefix(9)) ?? 0
    let difference = abs(nanoseconds - moment.nanoseconds)
    return min(difference, 1_000_000_000 - difference) > 1_000_000
  }

  /// Writes the entries of a document to disk.
  private func end(_ groups: inout Groups) throws(Failure) {
    if groups.bytes.isEmpty { return }
    if groups.count >= Self.maximumDocuments {
      throw Failure.malformed(path, "it has exact values of more than \(Self.maximumDocuments) documents")
    }
    try groups.places.add(NumberRecord(FNV.hash(groups.name), UInt64(spool.count), 0))
    groups.count += 1
    try spool.append(withUnsafeBytes(of: UInt32(groups.bytes.count)) { Array($0) })
    try spool.append(groups.bytes)
    groups.bytes.removeAll(keepingCapacity: true)
  }

  private static func append(_ part: some Collection<UInt8>, to out: inout [UInt8]) {
    withUnsafeBytes(of: UInt32(part.count)) { out.append(contentsOf: $0) }
    out.append(contentsOf: part)
  }

  // MARK: Looking up

  /// Looks up the exact values of a row, for ``value(of:_:)``.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite` for a disk error.
  package func begin(_ row: CellRow) throws(Failure) {
    entries.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    let hash = row.withUTF8(of: nameColumn) { FNV.hash($0) }
    let first = places.indices.firstNumber { places[$0].hash >= hash }
    for place in places[first...].prefix(while: { $0.hash == hash }) {
      if bytes.count >= Self.maximumRow { break }
      try read(place.start, row)
    }
    for entry in entries
    where (isForeign || entry.column >= UnclaimedValues.firstField) && !entry.shown.isEmpty {
      unclaimed.take(entry.column, of: row) { shows(entry, row, $0) }
    }
    if isForeign { entries.removeAll(keepingCapacity: true) }
  }

  /// Returns the exact value of a cell; nil if there is none, or if the cell was changed.
  package func value(of row: CellRow, _ index: Int) -> Value? {
    entries.first { $0.column == index && shows($0, row, index) }.flatMap { value(of: $0) }
  }

  private func value(of entry: Entry) -> Value? {
    bytes.withUnsafeBufferPointer { bytes in
      try? value(UnsafeBufferPointer(rebasing: bytes[entry.value]))
    }
  }

  /// Returns the type that a changed cell of an undeclared column keeps: that of its original value, or of all others in
  /// the column.
  package func type(of row: CellRow, _ index: Int) -> Column.ValueType? {
    if let entry = entries.first(where: { $0.column == index }) {
      return Self.addressType(of: value(of: entry))
    }
    guard let types = types[index], types.count == 1, let type = types.first, type != .bytes,
      row.withUTF8(of: index, AddressText.isAddress)
    else { return nil }
    return type
  }

  /// Returns what was typed into a cell that has no exact value.
  ///
  /// All times with microseconds have one, and people type milliseconds at most. LibreOffice saves 15 digits of a typed
  /// time, with an error of up to 4.3 microseconds, which the number format of the cell would otherwise preserve.
  package func typed(_ value: Value?, in row: CellRow, _ index: Int) -> Value? {
    guard case .timestamp(let moment)? = value, row.kind(index) == .date, times.contains(index) else {
      return value
    }
    let rest = moment.nanoseconds % 1_000_000
    let nanoseconds = moment.nanoseconds - rest + (rest > 500_000 ? 1_000_000 : 0)
    guard min(rest, 1_000_000 - rest) <= 5000 else { return value }
    let seconds = moment.seconds + Int64(nanoseconds / 1_000_000_000)
    return Timestamp(seconds: seconds, nanoseconds: nanoseconds % 1_000_000_000).map { .timestamp($0) }
      ?? value
  }

  private static func addressType(of value: Value?) -> Column.ValueType? {
    switch value {
    case .reference?: .reference
    case .geoPoint?: .geopoint
    case .bytes?: .bytes
    default: nil
    }
  }

  private func shows(_ entry: Entry, _ row: CellRow, _ index: Int) -> Bool {
    let shown = bytes[entry.shown]
    let isSame = row.withUTF8(of: index) { $0.elementsEqual(shown) }
    // An empty cell is empty in any format.
    if shown.isEmpty { return isSame }
    // A number format does not change a number.
    if entry.kind.isNumber, let number = row.number(index) {
      return number == Double(String(decoding: shown, as: UTF8.self))
    }
    return row.kind(index) == entry.kind && isSame
  }

  private func value(_ json: UnsafeBufferPointer<UInt8>) throws(WireError) -> Value {
    try parser.parse(UnsafeRawBufferPointer(json)) { json throws(WireError) in
      var decoder = WireDecoder(unknownMembers: .refused)
      return try decoder.value(json)
    }
  }

  /// Reads entries from the disk, skipping those of another document with the same hash.
  private func read(_ position: Int, _ row: CellRow) throws(Failure) {
    let start = bytes.count
    let length = Int(try spool.bytes(4, at: position).withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) })
    bytes += try spool.bytes(length, at: position + 4)
    var at = start
    func part() -> Range<Int> {
      let count = bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: at, as: UInt32.self)) }
      at += 4 + count
      return (at - count)..<at
    }
    let name = part()
    guard row.withUTF8(of: nameColumn, { $0.elementsEqual(bytes[name]) }) else {
      return bytes.removeSubrange(start...)
    }
    while at < bytes.count {
      let column = bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: at, as: UInt32.self)) }
      let kind = CellRow.Kind(rawValue: bytes[at + 4]) ?? .missing
      at += 5
      let shown = part()
      entries.append(Entry(column: column, kind: kind, shown: shown, value: part()))
    }
  }
}

extension CellRow.Kind {
  fileprivate var isNumber: Bool { [.number, .textNumber, .double, .integer].contains(self) }
}
