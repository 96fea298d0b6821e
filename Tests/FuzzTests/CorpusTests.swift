import Dispatch
import FoundationEssentials
import TestSupport
import Testing

/// The fuzz targets on their seeds, and on copies of these with a few bytes changed; `scripts/check-fuzz.sh` goes on from there.
///
/// A property that does not hold stops the process, as libFuzzer wants it. One target runs at a time: they share a folder.
@Suite(.serialized)
struct CorpusTests {
  @Test(arguments: Target.allCases)
  func `a target holds on its seeds and on changed copies of them`(_ target: Target) async throws {
    let seeds = try seeds(of: target)
    #expect(!seeds.isEmpty)
    // Some targets wait for tasks, which must not hold a thread of the pool that runs these.
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        var random = SplitMix64(seed: 1)
        for seed in seeds {
          target.run(seed)
          for _ in 0..<20 { target.run(changed(seed, &random)) }
        }
        continuation.resume()
      }
    }
  }

  private func seeds(of target: Target) throws -> [[UInt8]] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../Fuzz/Corpus/\(target.rawValue)"
    )
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .map { try Array(Data(contentsOf: folder.appending(path: $0))) }
  }
}

/// A copy of a seed with one to four bytes set, inserted or removed, or without its end.
private func changed(_ seed: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
  var bytes = seed
  for _ in 0..<Int.random(in: 1...4, using: &random) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where place < bytes.count: bytes[place] = .random(in: 0...255, using: &random)
    case 1 where place < bytes.count: bytes.remove(at: place)
    case 2: bytes.removeSubrange(place...)
    default: bytes.insert(.random(in: 0...255, using: &random), at: place)
    }
  }
  return bytes
}
