import FirestoreModels
import Foundation
import Testing

@testable import Tables

@Suite struct CSVLineWriterTests {
  /// Whether a cell begins as OWASP says that a formula does.
  private func isFormula(_ cell: String) -> Bool {
    let signs: Set<Unicode.Scalar> = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]
    return cell.unicodeScalars.first.map(signs.contains) ?? false
  }

  private func cells(_ random: inout FaultInjector) -> [String] {
    (0..<5).map { _ in
      (0..<random.pick([0, 1, 2, 4])).map { _ in
        random.pick(["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠", "'", "\"", ",", " ", "a", "ñ"])
      }.joined()
    }
  }

  /// What a list says is read back by Python as it was, and no cell of it is a formula.
  @Test(arguments: [1, 2, 3, 4]) func listsComeBack(seed: UInt64) throws {
    var random = FaultInjector(seed: seed)
    let table = (0..<400).map { _ in cells(&random) }
    for writer in [CSVLineWriter.list, CSVLineWriter(guardsFormulas: true), CSVLineWriter()] {
      var bytes: [UInt8] = []
      for cells in table { writer.append(cells, to: &bytes) }
      let folder = try ScratchFolder()
      let path = try folder.write(bytes, to: "list.csv")
      var reader = try CSVReader(path)
      for cells in table {
        #expect(try reader.next(), "seed \(seed)")
        let read = reader.record.texts
        #expect(!writer.guardsFormulas || !read.contains(where: isFormula), "seed \(seed): \(read)")
        let unguarded = writer.guardsFormulas ? read.map { CellForm.unguarded($0) } : read
        #expect(unguarded.map { Array($0.utf8) } == cells.map { Array($0.utf8) }, "seed \(seed)")
      }
      #expect(try !reader.next())
      guard Judge.hasPython else { continue }
      let python = try Judge.run([Judge.script("read_csv.py"), path, ","])
      let judged = try #require(JSONSerialization.jsonObject(with: python) as? [[String]])
      let guarded = table.map {
        $0.map { cell in
          let bare = cell.unicodeScalars.drop { $0 == "'" }
          return writer.guardsFormulas && isFormula(String(String.UnicodeScalarView(bare)))
            ? "'" + cell : cell
        }
      }
      #expect(judged.map { $0.map { Array($0.utf8) } } == guarded.map { $0.map { Array($0.utf8) } })
    }
  }

  @Test func fullWidthSignsAndLineFeedsAreGuarded() {
    #expect(
      String(decoding: CSVLineWriter.list.bytes(["＝1", "\n=1", "'=1", "'a", ""]), as: UTF8.self)
        == "\"'＝1\",\"'\n=1\",\"''=1\",\"'a\",\"\"\r\n"
    )
  }
}
