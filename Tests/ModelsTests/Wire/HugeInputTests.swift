import Models
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Inputs of hundreds of megabytes, which `scripts/check-fuzz.sh` asks for with GYMMIGRATE_HUGE_INPUTS=1.
@Suite("Huge inputs", .serialized, .enabled(if: getenv("GYMMIGRATE_HUGE_INPUTS") != nil))
struct HugeInputTests {
  private static let size = 200 << 20

  /// Runs `body` on a thread whose stack is small, so that whatever recurses by the input's depth overflows it.
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

  @Test(arguments: ["[", "{\"a\":", "{\"arrayValue\":{\"values\":["])
  func nestedBracketsOf200MB(opening: String) {
    onSmallStack {
      let unit = Array(opening.utf8)
      var json = [UInt8]()
      json.reserveCapacity(Self.size + unit.count)
      json.append(contentsOf: repeatElement(unit, count: Self.size / unit.count).joined())
      let parser = JSONParser()
      #expect(throws: WireError("it is nested too deeply")) {
        try parser.parse(json) { _ throws(WireError) in }
      }
      #expect(throws: Never.self) { try parser.parse(Array("[]".utf8)) { _ throws(WireError) in } }
    }
  }
}
