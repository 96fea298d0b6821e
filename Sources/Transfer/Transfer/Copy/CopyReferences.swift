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
