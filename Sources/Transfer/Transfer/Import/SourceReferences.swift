/// Rewrites the references in the documents of an import, whose sources may come from several databases.
struct SourceReferences {
  /// Those that earlier processes of the run counted; ``keptUnplaced`` is the part of sources whose database is not known.
  private let earlier: (all: ReferenceRewriter.Counts, keptUnplaced: Int, elsewhere: DatabaseName?)
  /// One for each database, and one for sources whose database is not known.
  private var rewriters: [ReferenceRewriter] = []
  private var unplaced: Int?
  /// The index of the rewriter of each input.
  private var indices: [Int] = []

  /// - Parameters:
  ///   - given: The database of all sources; nil for that of the export that each of them belongs to.
  ///   - position: The counts so far, for a resumed run.
  init(
    _ inputs: ImportInputs,
    from given: DatabaseName?,
    to target: DatabaseName,
    at position: ImportPosition
  ) {
    earlier = (position.references, position.keptUnplaced ?? 0, position.elsewhere)
    var known: [DatabaseName?: Int] = [:]
    for stage in inputs.indices {
      let source = given ?? inputs.source(stage).database
      if known[source] == nil {
        known[source] = rewriters.count
        rewriters.append(ReferenceRewriter(from: source, to: target))
      }
      indices.append(known[source] ?? 0)
    }
    unplaced = known[nil]
  }

  /// All references of the documents so far.
  var counts: ReferenceRewriter.Counts {
    rewriters.reduce(into: earlier.all) {
      $0.rewritten += $1.counts.rewritten
      $0.kept += $1.counts.kept
    }
  }

  /// How many of the kept references are in sources whose database is not known.
  var keptUnplaced: Int { earlier.keptUnplaced + (unplaced.map { rewriters[$0].counts.kept } ?? 0) }

  /// The database of the first of these; nil if there is none.
  var elsewhere: DatabaseName? { earlier.elsewhere ?? unplaced.flatMap { rewriters[$0].elsewhere } }

  /// The rule by which references of an input are rewritten.
  func rule(of input: Int) -> ReferenceRule { rewriters[indices[input]].rule }

  /// Counts the references of a document that was encoded by the rule of its input.
  mutating func count(_ document: EncodedDocument, of input: Int) {
    rewriters[indices[input]].count(document)
  }

  /// Returns the fields of a document with their references rewritten, without counting them.
  func rewritten(_ fields: FieldMap, of input: Int) -> FieldMap {
    var rewriter = rewriters[indices[input]]
    return rewriter.rewrite(fields)
  }

  /// Returns the fields of a document with their references rewritten.
  mutating func rewrite(_ fields: FieldMap, of input: Int) -> FieldMap {
    rewriters[indices[input]].rewrite(fields)
  }
}
