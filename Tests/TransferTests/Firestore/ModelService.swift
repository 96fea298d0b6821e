import FirestoreModels
import TestSupport

@testable import FirestoreREST

let testDatabase = DatabaseName(project: "test-project")

func path(_ text: String) -> DocumentPath {
  guard let path = DocumentPath(text) else { preconditionFailure("\(text) is no document's path") }
  return path
}

func collection(_ text: String) -> CollectionPath {
  guard let path = CollectionPath(text) else { preconditionFailure("\(text) is no collection's path") }
  return path
}

/// A moment so many microseconds after 2026-01-01.
func moment(_ microseconds: Int) -> Timestamp {
  guard
    let time = Timestamp(
      seconds: 1_767_225_600 + Int64(microseconds / 1_000_000),
      nanoseconds: Int32(microseconds % 1_000_000 * 1000)
    )
  else { preconditionFailure("it lies within the years 1 to 9999") }
  return time
}

/// The service as far as commits go: documents, preconditions, atomic commits, and who wrote how often.
///
/// Every write carries its number: in the field `id` of an update (which the mask need not name), in `deletes` else.
struct ModelService {
  private(set) var documents: [DocumentPath: RawDocument] = [:]
  /// How often the write of a number was applied.
  private(set) var applied: [Int: Int] = [:]
  /// The numbers of the writes of a document, in the order in which they were first applied.
  private(set) var order: [DocumentPath: [Int]] = [:]
  /// Numbers of writes that are refused for good.
  var poison: Set<Int> = []
  /// The number of the delete of a document.
  var deletes: [DocumentPath: Int] = [:]
  private var clock = 0

  mutating func tick() -> Timestamp {
    clock += 1_000
    return moment(clock)
  }

  func number(of write: Write) -> Int {
    if case .update(let fields, _) = write.operation, let id = fields["id"]?.integer { return Int(id) }
    return deletes[write.path] ?? -1
  }

  /// Somebody else's write.
  mutating func put(_ path: DocumentPath, _ name: String, _ value: Int) {
    var fields = documents[path]?.fields ?? FieldMap()
    fields[name] = .integer(Int64(value))
    let time = tick()
    documents[path] = RawDocument(
      path: path,
      fields: fields,
      createTime: documents[path]?.createTime ?? time,
      updateTime: time
    )
  }

  /// Applies all of the writes or none.
  mutating func commit(_ writes: [Write]) -> Result<CommitAnswer, FirestoreError> {
    if writes.contains(where: { poison.contains(number(of: $0)) }) {
      return .failure(FirestoreError(.invalidArgument, "one of them is no good"))
    }
    for write in writes {
      let current = documents[write.path]
      switch write.precondition {
      case .exists(let wanted) where (current != nil) != wanted:
        return .failure(FirestoreError(wanted ? .notFound : .alreadyExists, "precondition"))
      case .updateTime(let time) where current?.updateTime != time:
        return .failure(FirestoreError(current == nil ? .notFound : .failedPrecondition, "precondition"))
      default: break
      }
    }
    let time = tick()
    var times: [Timestamp?] = []
    for write in writes {
      let id = number(of: write)
      applied[id, default: 0] += 1
      if !(order[write.path] ?? []).contains(id) { order[write.path, default: []].append(id) }
      switch write.operation.decoded {
      case .delete:
        documents[write.path] = nil
        times.append(nil)
      case .set: preconditionFailure("a decoded write is an update")
      case .update(let fields, let mask):
        var next = mask == nil ? fields : documents[write.path]?.fields ?? FieldMap()
        for path in mask ?? [] { next[path] = fields[path] }
        for transform in write.transforms {
          if case .increment(.integer(let by)) = transform.operation {
            next[transform.field] = .integer((next[transform.field]?.integer ?? 0) + by)
          }
        }
        documents[write.path] = RawDocument(
          path: write.path,
          fields: next,
          createTime: documents[write.path]?.createTime ?? time,
          updateTime: time
        )
        times.append(time)
      }
    }
    return .success(CommitAnswer(updateTimes: times, commitTime: time))
  }
}
