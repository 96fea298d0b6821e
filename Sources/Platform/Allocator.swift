/// What the C library does with large blocks of memory.
package enum Allocator {
  private typealias SetOption = @convention(c) (Int32, Int32) -> Int32

  /// `M_MMAP_THRESHOLD` of glibc's `malloc.h`, which its Swift module does not show.
  private static let mapThreshold: Int32 = -3

  /// Has every large block given back when it is freed.
  ///
  /// By itself, glibc raises the threshold to the size of whatever large block was freed, and keeps smaller ones in the heaps of its
  /// threads. There, pieces and pages that come and go on several threads leave holes of many MiB. Other C libraries have no such
  /// option, and are left as they are.
  package static let returnsLargeBlocks = returnBlocks(from: 256 << 10)

  /// Has smaller ones given back, too, which takes a fifth more CPU: for what many threads read at a time.
  package static let returnsMediumBlocks = returnBlocks(from: 64 << 10)

  private static func returnBlocks(from size: Int32) -> Bool {
    guard let symbol = dlsym(nil, "mallopt") else { return false }
    return unsafeBitCast(symbol, to: SetOption.self)(mapThreshold, size) == 1
  }
}
