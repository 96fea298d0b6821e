import Files
import FirestoreModels

/// The content of a cell for a text that is too long for it (see ``LongTexts``):
/// `{"longText":1,"parts":8,"begins":"5f0e33a1"} Hola mundo…`.
///
/// The hash of the beginning distinguishes an edited cell from one whose text was edited in its sheet. It ignores carriage
/// returns, as spreadsheets only keep line feeds in a cell.
struct LongTextMark {
  private static let start = "{\"longText\":".utf8
  static let ellipsis = "…"

  let number: Int
  /// The number of pieces in which the text was written; like ``begins``, nil in workbooks of earlier versions.
  private let parts: Int?
  private let begins: String?
  /// The rest of the cell without the ellipsis; nil if the ellipsis is missing.
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

  /// Returns the mark for a new cell.
  static func text(number: Int, parts: Int, shown: some Sequence<UInt8>) -> String {
    "{\"longText\":\(number),\"parts\":\(parts),\"begins\":\"\(hash(shown))\"} "
  }

  private static func hash(_ shown: some Sequence<UInt8>) -> String {
    String(UInt32(truncatingIfNeeded: FNV.hash(shown.lazy.filter { $0 != 0x0D })), radix: 16)
  }

  /// Whether the cell is as it was written, even if the text was edited, or shows the beginning of the text.
  func isUnchanged(beside text: [UInt8]) -> Bool {
    shown.map { begins == Self.hash($0) } ?? false || shows(text)
  }

  /// Whether the cell shows the beginning of the text.
  func shows(_ text: [UInt8]) -> Bool {
    guard let shown else { return false }
    return text.span.withUnsafeBufferPointer { text in
      shown.elementsEqual(LongTexts.shown(of: text).lazy.filter { $0 != 0x0D })
    }
  }

  /// Whether pieces at the end of the text are missing if there are `count` of them.
  func lacksPieces(of count: Int) -> Bool { count < parts ?? 0 }
}
