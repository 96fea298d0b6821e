/// How the C library treats large blocks of memory.
package enum Allocator {
  private typealias SetOption = @convention(c) (Int32, Int32) -> Int32

  /// `M_MMAP_THRESHOLD` from glibc's `malloc.h`, which its Swift module does not export.
  private static let mapThreshold: Int32 = -3

  /// Makes the C library return every large block to the system as soon as it is freed; false if it cannot.
  ///
  /// By default, glibc raises the threshold to the size of each freed large block, and keeps smaller blocks in the heaps of its
  /// threads. Pieces and pages allocated and freed on several threads then leave holes of many MiB. Other C libraries have no
  /// such option and are left unchanged.
  package static let returnsLargeBlocks = returnBlocks(from: 256 << 10)

  /// Also makes it return medium blocks, which takes a fifth more CPU; for data that many threads read at the same time.
  package static let returnsMediumBlocks = returnBlocks(from: 64 << 10)

  private static func returnBlocks(from size: Int32) -> Bool {
    guard let symbol = dlsym(nil, "mallopt") else { return false }
    return unsafeBitCast(symbol, to: SetOption.self)(mapThreshold, size) == 1
  }
}
