import Files
import MigrationEngine

/// Changes, a line each, as a plan file that is whole.
func wholePlan(of changes: [Substring]) throws -> String {
  let text = changes.map { "\($0)\n" }.joined()
  let end = PlanEnd(changes: changes.count, sha256: try SHA256Digest.checksum(of: Array(text.utf8)))
  return text + String(decoding: end.line, as: UTF8.self)
}
