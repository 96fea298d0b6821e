import Foundation
import Synchronization
import TestSupport

/// Somebody else who changes a document of a commit right before the service looks at it.
final class OtherWriter: Sendable {
  private let seed: UInt64
  private let placement: Placement
  private let counts = Mutex<[String: Int]>([:])
  private let commits = Mutex(0)

  init(seed: UInt64, placement: Placement) {
    self.seed = seed
    self.placement = placement
  }

  /// What was written last to the field `touched` of each document.
  var touched: [String: Int] { counts.withLock { $0 } }

  /// Begins to write to a database.
  func start(on mini: MiniFirestore) {
    mini.setBeforeCommit { number, request in
      if self.acts(number + 1) { self.touch(request, mini) }
    }
  }

  /// A fault that drops the answers of the commits that it is its turn at, and changes a document before or after
  /// them.
  func droppingAnswers(of mini: MiniFirestore, touchesFirst: Bool) -> Fault {
    .custom { request, inner in
      let number = self.commits.withLock { commits in
        commits += 1
        return commits
      }
      guard self.acts(number) else { return inner(request) }
      if touchesFirst {
        self.touch(request, mini)
        _ = inner(request)
        return .dropConnection
      }
      // Only of several writes the others show that the commit was applied.
      let reaction = inner(request)
      guard case .response(let response) = reaction, response.status == 200, request.documentNames.count > 1
      else { return reaction }
      self.touch(request, mini)
      return .dropConnection
    }
  }

  private func acts(_ number: Int) -> Bool {
    switch placement {
    case .single(let k): return number == k % 4 + 1
    case .every(let k): return number.isMultiple(of: k)
    case .random:
      var random = SplitMix64(seed: seed &* 31 &+ UInt64(number))
      return random.chance(percent: 20)
    case .lasting(let k): return number >= k % 4 + 1
    }
  }

  /// Changes one of the documents of a commit.
  private func touch(_ request: TestRequest, _ mini: MiniFirestore) {
    let names = request.documentNames
    guard !names.isEmpty else { return }
    let name = names[Int(seed % UInt64(names.count))]
    let count = counts.withLock { counts -> Int? in
      // Planning again some times must do, unless it never ends.
      if !placement.isLasting, counts[name, default: 0] >= 3 { return nil }
      counts[name, default: 0] += 1
      return counts[name]
    }
    if let count { try? mini.merge(name, fields: #"{"touched":{"integerValue":"\#(count)"}}"#) }
  }
}
