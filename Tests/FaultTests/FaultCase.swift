import FirestoreModels
import TestSupport

/// A way in which the service, or the way to it, fails, as a column of the fault matrix.
enum FaultKind: String, CaseIterable, Sendable {
  case tooManyRetryAfter, tooManyRetryInfo, unavailable, internalError, aborted, expiredToken, html502,
    html504
  case deadline, unknown
  case unavailableApplied, deadlineApplied, unknownApplied, html504Applied
  case drop, reset, dropApplied, resetApplied, halfBody, truncatedChunks, html200, emptyBody
  case stall, stallApplied, stallInBody, drip
  case errorInStream, unterminated
  /// Nothing fails: somebody else changes documents right before commits, or between pages.
  case writer
  /// Somebody else changes a document right before a commit, and what the service says of it is lost.
  case writerThenLost
  /// A commit is applied, somebody else changes one of its documents, and the answer is lost.
  case lostThenWriter

  /// What is played, nil where another writer decides.
  var fault: Fault? {
    let unknown = ServiceError(500, "UNKNOWN", "Unknown error.")
    switch self {
    case .tooManyRetryAfter:
      return .error(
        ServiceError(429, "RESOURCE_EXHAUSTED", "Quota exceeded.", headers: [HTTPField("Retry-After", "1")])
      )
    case .tooManyRetryInfo:
      return .error(ServiceError(429, "RESOURCE_EXHAUSTED", "Bandwidth exhausted.", retryDelay: 0.7))
    case .unavailable: return .error(.unavailable)
    case .internalError: return .error(.internalError)
    case .aborted: return .error(.aborted)
    case .expiredToken: return .expiredToken
    case .html502: return .html(502)
    case .html504: return .html(504)
    case .deadline: return .error(.deadlineExceeded)
    case .unknown: return .error(unknown)
    case .unavailableApplied: return .errorAfterApplying(.unavailable)
    case .deadlineApplied: return .errorAfterApplying(.deadlineExceeded)
    case .unknownApplied: return .errorAfterApplying(unknown)
    case .html504Applied:
      return .custom { request, inner in
        _ = inner(request)
        return .html(504)
      }
    case .drop: return .drop
    case .reset: return .reset
    case .dropApplied: return .dropAfterApplying
    case .resetApplied: return .resetAfterApplying
    case .halfBody: return .halfBody(0.5)
    case .truncatedChunks: return .truncatedChunked(0.5)
    case .html200: return .html(200)
    case .emptyBody: return .emptyBody
    case .stall: return .stall
    case .stallApplied: return .stallAfterApplying
    case .stallInBody: return .stallInBody(0.5)
    case .drip: return .drip(chunk: 211, interval: .microseconds(200))
    case .errorInStream: return .errorInStream(.unavailable, after: 2)
    case .unterminated: return .unterminated
    case .writer, .writerThenLost, .lostThenWriter: return nil
    }
  }

  /// Whether the client has to lose patience for it.
  var isStall: Bool {
    switch self {
    case .stall, .stallApplied, .stallInBody: true
    default: false
    }
  }

  /// How a run ends in which it never stops, nil where it is no reason to end.
  var failureKind: Failure.Kind? {
    switch self {
    case .writer, .writerThenLost, .lostThenWriter, .drip: nil
    case .tooManyRetryAfter, .tooManyRetryInfo: .tryLater
    case .expiredToken: .configuration
    default: .unavailable
    }
  }

  /// Whether the service does its work all the same, and the answer is spoilt.
  var mayApply: Bool {
    switch self {
    case .unavailableApplied, .deadlineApplied, .unknownApplied, .html504Applied, .dropApplied, .resetApplied,
      .halfBody, .truncatedChunks, .emptyBody, .stallApplied, .stallInBody, .unterminated, .drip:
      true
    default: false
    }
  }
}

/// What is done while the service fails.
enum Operation: String, CaseIterable, Sendable {
  case export, create, upsert, merge, migrate
}

/// Which requests meet the fault.
enum Placement: Sendable, CustomStringConvertible {
  /// The k-th only.
  case single(Int)
  /// Every k-th.
  case every(Int)
  /// A fifth of them, by chance.
  case random
  /// The k-th and every one after it; the run ends, the service recovers, and the same is done again.
  case lasting(Int)

  var description: String {
    switch self {
    case .single(let k): "at request \(k)"
    case .every(let k): "every \(k) requests"
    case .random: "at random"
    case .lasting(let k): "from request \(k) on"
    }
  }

  var occasion: Occasion {
    switch self {
    case .single(let k): .number(k)
    case .every(let k): .every(k)
    case .random: .percent(20)
    case .lasting(let k): .from(k)
    }
  }

  var isLasting: Bool { if case .lasting = self { true } else { false } }
}

/// One cell of the matrix, with all that chance decides: the same seed, the same run.
///
/// The numbers of faults, operations and placements have no common divisor, so that as many seeds in a row as
/// ``cells`` meet every cell once.
struct FaultCase: Sendable, CustomStringConvertible {
  let seed: UInt64
  let kind: FaultKind
  let operation: Operation
  let placement: Placement
  /// Whether the run keeps a journal and checkpoints, and is resumed where it ended.
  let isJournaled: Bool

  static let cells = UInt64(FaultKind.allCases.count * Operation.allCases.count * 4)

  init(seed: UInt64) {
    self.seed = seed
    kind = FaultKind.allCases[Int(seed % UInt64(FaultKind.allCases.count))]
    operation = Operation.allCases[Int(seed % UInt64(Operation.allCases.count))]
    var random = SplitMix64(seed: seed ^ 0xFA17)
    isJournaled = operation != .export && Bool.random(using: &random)
    // Few requests have answers that are streams.
    let last = kind == .errorInStream ? 4 : 12
    switch seed % 4 {
    case 0: placement = .single(Int.random(in: 1...last, using: &random))
    case 1: placement = .every(Int.random(in: 2...5, using: &random))
    case 2: placement = .random
    default: placement = .lasting(Int.random(in: 1...last, using: &random))
    }
  }

  var description: String {
    "seed \(seed): \(kind.rawValue) \(placement) during \(operation.rawValue)\(isJournaled ? " with a journal" : "")"
  }
}
