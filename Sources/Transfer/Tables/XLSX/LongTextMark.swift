import Files
import FirestoreModels

/// What a cell says of a text that exceeds it (see ``LongTexts``): `{"longText":1,"parts":8,"begins":"5f0e33a1"} Hola mundo…`.
///
/// The hash of the beginning tells a cell that somebody edited from one whose text was edited in its sheet. Line feeds count,
/// carriage returns do not, as spreadsheets have line feeds alone in a cell.
struct LongTextMark {
  private static let start = "{\"longText\":".utf8
  static let ellipsis = "…"

  let number: Int
  /// How many pieces the text was written in; nil in workbooks of earlier versions, as ``begins`` is.
  private let parts: Int?
  private let begins: String?
  /// What follows in the cell, without the ellipsis; nil if it lacks.
  private let shown: [UInt8]?

  /// Reads the mark of a cell; nil for an ordinary cell.
  init?(_ cell: UnsafeBufferPointer<UInt8>) {
    guard cell.first == Self.start.first, cell.starts(with: Self.start),
      let end = cell.firstIndex(of: UInt8(ascii: " ")),
      let mark = try? JSONParser().parse(
        Array(cell[..<end]),
        { ($0["longText"]?.integer, $0["parts"]?.integer, $0["begins"]?.string) }
      ), let number = mark.0.flatMap({ Int(exactly: $0) })
    else { return nil }
    self.number = number
    parts = mark.1.flatMap { Int(exactly: $0) }
    begins = mark.2
    let rest = cell[(end + 1)...]
    let hasEllipsis = rest.suffix(Self.ellipsis.utf8.count).elementsEqual(Self.ellipsis.utf8)
    shown = hasEllipsis ? rest.dropLast(Self.ellipsis.utf8.count).filter { $0 != 0x0D } : nil
  }

  /// The mark of a new cell.
  static func text(number: Int, parts: Int, shown: some Sequence<UInt8>) -> String {
    "{\"longText\":\(number),\"parts\":\(parts),\"begins\":\"\(hash(shown))\"} "
  }

  private static func hash(_ shown: some Sequence<UInt8>) -> String {
    String(UInt32(truncatingIfNeeded: FNV.hash(shown.lazy.filter { $0 != 0x0D })), radix: 16)
  }

  /// Whether the cell is as it was written, whatever became of the text, or shows how the text begins.
  func isUnchanged(beside text: [UInt8]) -> Bool {
    guard let shown else { return false }
    if begins == Self.hash(shown) { return true }
    return text.span.withUnsafeBufferPointer { text in
      shown.elementsEqual(LongTexts.shown(of: text).lazy.filter { $0 != 0x0D })
    }
  }

  /// Whether pieces at the end of the text lack where there are so many.
  func lacksPieces(of count: Int) -> Bool { count < parts ?? 0 }
}
