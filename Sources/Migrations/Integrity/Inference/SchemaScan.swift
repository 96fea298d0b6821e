package import FirestoreREST
package import Runs
package import Schema

/// Profiles the documents of a database in one pass and in constant memory.
package struct SchemaScan: Sendable {
  private let counts: RunCounts
  private let client: FirestoreClient
  private let progress: Progress
  /// The maximum number of documents per read, including those below its collection; nil for all.
  package var sample: Int?

  /// The maximum number of collections that are profiled individually.
  private static let maximumCollections = 1000

  package init(in counts: RunCounts, _ client: FirestoreClient, _ progress: Progress) {
    self.counts = counts
    self.client = client
    self.progress = progress
  }

  /// Profiles the documents of some reads.
  ///
  /// - Parameter visit: Called with each document.
  /// - Returns: The profiles, ordered by collection name.
  /// - Throws: ``Failure``, and errors of `visit`.
  package func profiles(
    of reads: [CollectionRead],
    visit: (RawDocument) throws -> Void = { _ in }
  ) async throws -> [CollectionProfile] {
    var profiles: [CollectionPath: CollectionProfile] = [:]
    defer { progress.end() }
    let pages = client.pages(
      ofEach: reads.map { read in
        var read = read
        read.limit = sample
        // Reading ahead beyond a sample would be billed for nothing.
        if sample != nil { read.parallel = 1 }
        return read
      }
    )
    for (index, read) in reads.enumerated() {
      counts.open(read.collection)
      let counting = progress.begin(read.collection.string, counting: [read], in: client)
      defer { counting.cancel() }
      var isFirst = true
      let next = {
        let page = try await pages.next(of: index)
        // A read that is fetched ahead usually has a single page, so counting waits for the second one.
        if sample == nil, !isFirst, page?.isEmpty == false { counting.begin() }
        isFirst = false
        return page
      }
      try await profile(next, &profiles, visit)
    }
    return profiles.values.sorted { $0.pattern < $1.pattern }
  }

  private func profile(
    _ next: () async throws -> [RawDocument]?,
    _ profiles: inout [CollectionPath: CollectionProfile],
    _ visit: (RawDocument) throws -> Void
  ) async throws {
    // Documents of a collection are consecutive, so its profile is taken out of the table meanwhile.
    var current: CollectionProfile?
    var added = 0
    func settle() {
      guard let current else { return }
      counts.update(current.pattern) { $0.read += added }
      added = 0
    }
    defer {
      settle()
      if let current { profiles[current.pattern] = current }
    }
    while let page = try await next() {
      try Task.checkCancellation()
      for document in page {
        if document.path.isReserved { continue }
        let pattern = document.path.collection.pattern
        if current?.pattern != pattern {
          settle()
          if let current { profiles[current.pattern] = current }
          let isNew = profiles[pattern] == nil
          if isNew, profiles.count == Self.maximumCollections {
            throw Failure(
              .inputMalformed,
              "infer the schema",
              path: pattern.string,
              cause: "there are more than \(Self.maximumCollections) kinds of collections",
              remedy: "Name the collections that are meant."
            )
          }
          current = profiles.removeValue(forKey: pattern) ?? CollectionProfile(pattern)
        }
        current?.add(document)
        added += 1
        try visit(document)
      }
      progress.advance(by: page.count)
    }
  }

  // MARK: References

  /// Finds out what fields refer to, by looking up a few of their values among the documents.
  ///
  /// A field refers to a collection if all looked-up values, at least two, are IDs of documents there and of no other root
  /// collection. Among five or more values one may be missing, because dangling references are left for `check` to find.
  ///
  /// - Throws: ``Failure``.
  package func references(
    of profiles: [CollectionProfile]
  ) async throws -> [CollectionPath: [FieldPath: CollectionPath]] {
    let roots = profiles.filter { $0.pattern.parent == nil }
    var references: [CollectionPath: [FieldPath: CollectionPath]] = [:]
    for profile in profiles {
      for field in profile.fields where field.path != profile.idField {
        let types = field.profile.types.map(\.type)
        let sample = Array(Set(field.profile.sample.map { UTF8Key($0) })).map(\.string)
        guard sample.count > 1 else { continue }
        if types == [.reference] {
          let targets = Set(sample.compactMap { DatabaseName.split($0)?.path.collection })
          if targets.count == 1, let target = targets.first, roots.contains(where: { $0.pattern == target }) {
            references[profile.pattern, default: [:]][field.path] = target
          }
        } else if types == [.string] {
          if let target = try await target(of: sample, among: roots) {
            references[profile.pattern, default: [:]][field.path] = target
          }
        }
      }
    }
    return references
  }

  private func target(of ids: [String], among roots: [CollectionProfile]) async throws -> CollectionPath? {
    var found: CollectionPath?
    for root in roots {
      let isUUID = root.ids.hasFormat(.uuid)
      let isPossible = ids.allSatisfy { id in
        id.unicodeScalars.count <= root.ids.maximumLength
          && PathLimits.violation(ofID: id, isDocument: true) == nil
          && !id.utf8.contains(UInt8(ascii: "/")) && (!isUUID || FieldFormat.uuid.matches(id))
      }
      guard isPossible, try await has(ids, root.pattern) else { continue }
      // An ID that exists in two collections is inconclusive.
      if found != nil { return nil }
      found = root.pattern
    }
    return found
  }

  /// Whether texts are IDs of documents of a collection, apart from the one that may be missing.
  ///
  /// Two are looked up first, as they suffice for most collections that have none of them.
  private func has(_ ids: [String], _ collection: CollectionPath) async throws -> Bool {
    var missing = 0
    for part in [ids.prefix(2), ids.dropFirst(2)] where !part.isEmpty {
      let known = try await client.batchGet(
        part.map { DocumentPath(collection, $0) },
        mask: [.documentName]
      )
      missing += part.count - known.count
      if missing > (ids.count < 5 ? 0 : 1) { return false }
    }
    return true
  }
}
