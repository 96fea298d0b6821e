package import Logging

extension CopyJob {
  /// Logs the number of rewritten and kept references.
  package func report(_ counts: ReferenceRewriter.Counts, to database: DatabaseName, _ logger: Logger) {
    func text(_ count: Int) -> String { NumberText.counted(count, "reference") }
    if counts.rewritten > 0 { logger.info("Rewritten to \(database): \(text(counts.rewritten)).") }
    if rewritesStorageURLs {
      logger.notice(
        "URLs of files rewritten to the target's bucket: \(NumberText.grouped(counts.storageURLs))."
      )
    }
    if counts.kept > 0 {
      logger.notice("Kept as written: \(text(counts.kept)) to other databases; see references.jsonl.")
    }
  }
}

extension ReferenceRewriter.Counts: SummarySection {
  package var name: StaticString { "references" }
  package var line: String? { nil }

  package static func + (a: Self, b: Self) -> Self {
    var sum = a
    sum.rewritten = a.rewritten.addingClamped(b.rewritten)
    sum.kept = a.kept.addingClamped(b.kept)
    sum.storageURLs = a.storageURLs.addingClamped(b.storageURLs)
    return sum
  }
}

/// Rewrites references into the source so that they point into the target; others are kept and listed, one line each.
struct CopyReferences {
  private(set) var rewriter: ReferenceRewriter
  let list: LineList

  var counts: ReferenceRewriter.Counts { rewriter.counts }

  /// Returns the document with its references rewritten.
  mutating func rewrite(_ document: RawDocument) throws(Failure) -> RawDocument {
    let kept = rewriter.counts.kept
    var rewritten = document
    rewritten.fields = rewriter.rewrite(document.fields)
    if rewriter.counts.kept > kept { try listElsewhere(of: document) }
    return rewritten
  }

  private func listElsewhere(of document: RawDocument) throws(Failure) {
    for (field, name) in rewriter.elsewhere(in: document.fields) {
      let json = JSONWriter.object {
        $0.member("field", field.description)
        $0.member("path", document.path.string)
        $0.member("reference", name)
      }
      try list.append(json + [UInt8(ascii: "\n")])
    }
  }
}
