import FirestoreModels
import Testing

@Suite("Byte budget")
struct ByteBudgetTests {
  @Test("A batch is full by its number or by its bytes, and begins again")
  func fill() {
    var fill = BatchFill(count: 3, bytes: 100)
    for _ in 0..<2 { fill.add(bytes: 10) }
    #expect(!fill.isFull)
    fill.add(bytes: 10)
    #expect(fill.isFull)
    fill.empty()
    #expect(!fill.isFull)
    fill.add(bytes: 100)
    #expect(fill.isFull)
    fill.add(bytes: .max)
    #expect(fill.isFull)
  }

  @Test("What a document holds grows with its texts, its bytes and the number of its values")
  func held() {
    let text = Value.string(String(repeating: "x", count: 1000))
    #expect((1000...1200).contains(text.heldBytes))
    #expect((1000...1200).contains(Value.bytes([UInt8](repeating: 0, count: 1000)).heldBytes))
    #expect(Value.array([Value](repeating: .boolean(true), count: 1000)).heldBytes >= 16_000)
    let fields: FieldMap = ["a": text, "b": .map(["c": text])]
    #expect((2000...2400).contains(fields.heldBytes))
    let document = RawDocument(path: DocumentPath(CollectionPath(nil, "c"), "d"), fields: fields)
    #expect(Change(of: document, ["n": .integer(1)]).heldBytes >= document.heldBytes)
  }
}
