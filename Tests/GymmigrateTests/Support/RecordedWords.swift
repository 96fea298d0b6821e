import Foundation
import Testing

/// Replaces the command line that a record keeps for people.
///
/// - Parameter member: `arguments` of `run.json`, `command` of `plan.json`.
func replaceWords(
  in file: String,
  by words: [String] = ["rubbish", "-n", "--all"],
  member: String = "arguments",
  _ tool: Tool
) throws {
  let data = Data(try tool.text(file).utf8)
  var record = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  #expect(record[member] is [String])
  record[member] = words
  let text = try JSONSerialization.data(withJSONObject: record, options: .withoutEscapingSlashes)
  try tool.write(String(decoding: text, as: UTF8.self), to: file)
}
