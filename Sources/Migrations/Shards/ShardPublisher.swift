import Configuration
import Files
import Platform
import Storage
import Transfer

// Uploads the output of a range to the shared folder.
extension ShardFolder {
  /// Uploads a part, replacing one left by a worker that ended before it recorded a result.
  ///
  /// - Throws: `.tryLater` if another worker keeps replacing it.
  package func put(
    part path: String,
    as name: String,
    documents: Int
  ) async throws(Failure) -> ShardResult.Part {
    let sha256 = try SHA256Digest.hexadecimal(ofFileAt: path, decompresses: false)
    for _ in 0..<5 {
      var precondition = ObjectPrecondition.missing
      if let info = try await info(name) { precondition = .version(info.version) }
      guard case .written(let info) = try await store.upload(path, to: name, if: precondition) else {
        continue
      }
      unlink(path)
      return ShardResult.Part(
        file: name,
        documents: documents,
        bytes: info.bytes,
        sha256: sha256,
        version: info.version.text
      )
    }
    throw Failure(
      .tryLater,
      "write",
      path: "\(store)/\(name)",
      cause: "another worker keeps replacing it",
      remedy: "See 'gymmigrate shard status \(store)'."
    )
  }

  package func put(list path: String, as name: String) async throws(Failure) {
    _ = try await store.upload(path, to: name, if: .none)
  }

  private func info(_ name: String) async throws(Failure) -> ObjectInfo? {
    try await store.list(name).first { $0.name.isIdentical(to: name) }
  }
}

/// The lists of a run that are merged at the end.
package enum ShardLists {
  /// Returns the names of a run's lists, sorted.
  package static func names(in run: String) -> [String] {
    FilePaths.names(in: run).filter(isList)
  }

  static func isList(_ name: String) -> Bool {
    [
      "differences.jsonl", "findings.csv", "findings.jsonl", "plan.jsonl", "references.jsonl",
      "rejects.jsonl", "review.csv", "validation.csv", "warnings.csv",
    ].contains { $0.isIdentical(to: name) } || (name.hasPrefix("rejects") && name.hasSuffix(".csv"))
  }
}

extension ShardResult {
  /// The total counts of all collections.
  package var totals: DocumentCounts { collections.reduce(DocumentCounts()) { $0 + $1.counts } }

  /// Reads how a range ended from the summary in its run folder.
  ///
  /// - Throws: `.inputMissing`, `.inputMalformed`.
  package init(of run: String, range: Int, plan: ShardPlan, holder: String) throws(Failure) {
    let path = "\(run)/summary.json"
    guard let summary = try JSONFile.read(path, as: Summary.self) else {
      throw Failure(.inputMissing, "read", path: path, cause: "it does not exist")
    }
    self.init(
      range: range,
      run: plan.run,
      holder: holder,
      status: summary.status,
      collections: summary.collections,
      durationSeconds: summary.durationSeconds,
      cost: summary.cost,
      billed: summary.billed,
      perhapsBilled: summary.perhapsBilled,
      journalBytes: summary.journalBytes,
      references: summary.references,
      readBack: summary.readBack
    )
    traffic.requests = summary.requests
    traffic.retries = summary.retries
    traffic.bytesIn = summary.bytesIn
    traffic.bytesOut = summary.bytesOut
  }

  /// The members of ``RunSummary`` that are read.
  private struct Summary: JSONRecord {
    var status: RunSummary.Status
    var collections: [RunSummary.Collection]
    var requests: Int
    var retries: Int
    var bytesIn: Int
    var bytesOut: Int
    var durationSeconds: Double
    var cost: Cost?
    var billed: Cost?
    var perhapsBilled: Cost?
    var journalBytes: Int?
    var references: ReferenceRewriter.Counts?
    var readBack: ReadBack.Counts?
  }
}
