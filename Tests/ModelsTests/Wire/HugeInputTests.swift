import FirestoreModels
import Platform
import TestSupport
import Testing

/// Inputs of 200 MB; skipped under sanitizers, whose shadow memory they exceed.
@Suite(
  "Huge inputs",
  .serialized,
  .disabled(if: Sanitizer.isOn, "They take more memory than a sanitizer has.")
)
struct HugeInputTests {
  private static let size = 200 << 20

  /// A token that is opened repeatedly, and its closing token.
  struct Nesting: CustomTestStringConvertible {
    var opening: String
    var closing: String
    var testDescription: String { "\(opening) \(closing)" }
  }

  private static let nestings = [
    Nesting(opening: "[", closing: "]"),
    Nesting(opening: #"{"a":"#, closing: "}"),
    Nesting(opening: #"{"arrayValue":{"values":["#, closing: "]}}"),
  ]

  /// Runs `body` on a thread with a small stack, which recursion by input depth would overflow.
  private func onSmallStack(_ body: @escaping @Sendable () -> Void) {
    final class Work: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setstacksize(&attributes, 256 << 10)
    defer { pthread_attr_destroy(&attributes) }
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(body)).toOpaque()
    let status = pthread_create(
      &thread,
      &attributes,
      { pointer in
        #if canImport(Glibc)
          guard let pointer else { return nil }
        #endif
        Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      },
      work
    )
    #expect(status == 0)
    pthread_join(thread, nil)
  }

  /// Writes `text` `count` times, doubling the copied part.
  private static func fill(_ target: UnsafeMutableRawPointer, with text: String, times count: Int) {
    let unit = Array(text.utf8)
    let total = unit.count * count
    unit.withUnsafeBytes {
      target.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(target), byteCount: $0.count)
    }
    var done = unit.count
    while done < total {
      let more = min(done, total - done)
      (target + done).copyMemory(from: target, byteCount: more)
      done += more
    }
  }

  @Test("200 MB of brackets are refused without a deep stack.", arguments: nestings)
  func brackets(_ nesting: Nesting) {
    onSmallStack {
      let opening = nesting.opening.utf8.count
      let closing = nesting.closing.utf8.count
      let json = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.size, alignment: 1)
      defer { json.deallocate() }
      guard let start = json.baseAddress else { return }
      let parser = JSONParser()
      func refusal(_ length: Int) -> String? {
        do throws(WireError) {
          try parser.parse(UnsafeRawBufferPointer(start: start, count: length)) { _ throws(WireError) in }
          return nil
        } catch {
          return error.reason
        }
      }

      let open = Self.size / opening
      Self.fill(start, with: nesting.opening, times: open)
      #expect(refusal(open * opening) == "it is not valid JSON")

      let pairs = (Self.size - 1) / (opening + closing)
      start.storeBytes(of: UInt8(ascii: "0"), toByteOffset: pairs * opening, as: UInt8.self)
      Self.fill(start + pairs * opening + 1, with: nesting.closing, times: pairs)
      #expect(refusal(pairs * (opening + closing) + 1) == "it is nested too deeply")

      // The parser remains usable.
      #expect(throws: Never.self) { try parser.parse(Array("[]".utf8)) { _ throws(WireError) in } }
    }
  }
}
