import Models
import Transfer

/// `plan.jsonl`: one change a line, with what was read, what is intended, and the update time that it depends on.
struct PlanFile: Sendable {
  private let list: LazyList

  init(_ path: String) {
    list = LazyList(path)
  }

  func append(_ change: Change) throws(Failure) {
    var json = JSONWriter()
    json.object {
      if let after = change.after {
        $0.key("after")
        $0.fields(after)
      }
      if let before = change.before {
        $0.key("before")
        $0.fields(before.fields)
      }
      $0.key("path")
      $0.string(change.path.string)
      $0.key("reasons")
      $0.array { list in
        for reason in change.reasons { list.string(reason) }
      }
      $0.key("serverTimes")
      $0.array { list in
        for path in change.serverTimes { list.string(path.description) }
      }
      if let updateTime = change.before?.updateTime {
        $0.key("updateTime")
        $0.timestamp(updateTime)
      }
    }
    json.bytes.append(UInt8(ascii: "\n"))
    try list.append(json.bytes)
  }
}
