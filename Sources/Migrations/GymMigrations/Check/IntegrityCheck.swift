package import FirestoreModels
package import FirestoreREST

/// Checks the gym's data against rules: one pass over each collection that they need, nothing written.
///
/// Documents come page by page and are gone with their page; what rules over several documents need (ids, links, keys)
/// waits in a temporary file, so memory does not grow with the collections. Findings come as they are found, in an
/// order that the data alone decides.
package struct IntegrityCheck: Sendable {
  /// The rules.
  package let rules: Set<IntegrityRule>
  /// The collections whose documents are judged, `groups/*/members` among them; nil for all.
  ///
  /// What they point at is read, too.
  package let judged: Set<CollectionPath>?

  /// Gives the documents of a read, page by page and in the order of their names.
  package typealias Source = (CollectionRead, _ page: ([RawDocument]) async throws -> Void) async throws ->
    Void

  /// Makes a check of some rules.
  ///
  /// - Parameter judged: The collections whose documents are judged; nil for all.
  package init(rules: Set<IntegrityRule> = Set(IntegrityRule.allCases), judged: Set<CollectionPath>? = nil) {
    self.rules = rules
    self.judged = judged
  }

  /// The collections that rules are about, subcollections as patterns.
  package static var collections: [CollectionPath] {
    IntegritySchema.collections + [IntegritySchema.groupMembers]
  }

  /// What has to be read, in this order: each collection once, with the fields that the rules look at.
  ///
  /// `groups` is read with everything below it, which finds members below groups that do not exist.
  package var reads: [CollectionRead] {
    var fields: [CollectionPath: Set<UTF8Key>] = [:]
    for rule in rules {
      for (collection, names) in rule.fields(judging: judged) {
        let judged = collection == IntegritySchema.groupMembers ? IntegritySchema.groups : collection
        fields[judged, default: []].formUnion(names.map { UTF8Key($0) })
      }
    }
    return IntegritySchema.collections.compactMap { collection in
      guard let names = fields[collection] else { return nil }
      let mask = names.sorted().map { FieldPath(field: $0.string) }
      var read = CollectionRead(collection, mask: mask.isEmpty ? [.documentName] : mask)
      if collection == IntegritySchema.groups, readsMembers { read.reach = .subcollections }
      return read
    }
  }

  private var readsMembers: Bool {
    rules.contains { $0.fields(judging: judged)[IntegritySchema.groupMembers] != nil }
  }

  /// Checks.
  ///
  /// - Parameters:
  ///   - reads: What to read: ``reads``, with a page size and a moment.
  ///   - source: Where from.
  ///   - output: Takes each finding.
  /// - Throws: what `source` and `output` throw; `Failure` of kind `cannotWrite` where the temporary file cannot be kept.
  package func run(
    _ reads: [CollectionRead],
    from source: @escaping Source,
    report output: (IntegrityFinding) throws -> Void
  ) async throws {
    let spool = try IntegritySpool()
    func report(_ finding: IntegrityFinding) throws {
      guard rules.contains(finding.rule) else { return }
      if let judged, !judged.contains(finding.path.collection.pattern) { return }
      try output(finding)
    }
    var groups = GroupScan()
    var hasSetup = false
    for read in reads {
      let collection = read.collection
      try await source(read) { page in
        for document in page {
          if collection == IntegritySchema.groups {
            for finding in groups.take(document) { try report(finding) }
          }
          if let judged = Self.judged(of: document, in: collection) {
            for finding in DocumentRules.findings(in: document, of: judged) { try report(finding) }
          }
          if document.path == IntegritySchema.setup { hasSetup = true }
        }
        try await spoolPage(page, of: collection, to: spool)
        try await checkReferences(page, of: collection, by: spool, report)
      }
      switch collection {
      case IntegritySchema.members: try await settleMembers(spool, report)
      case IntegritySchema.bookings: try await settleBookings(spool, report)
      case IntegritySchema.groups:
        for finding in groups.finish() { try report(finding) }
      case IntegritySchema.appConfig:
        if !hasSetup {
          try report(IntegrityFinding(.setupMissing, IntegritySchema.setup, "There is no app_config/setup."))
        }
      default: break
      }
    }
  }

  /// Whose rules a document of a read obeys; nil for one further down that is no member of a group.
  private static func judged(of document: RawDocument, in collection: CollectionPath) -> CollectionPath? {
    if collection != IntegritySchema.groups { return collection }
    let segments = document.path.segments
    if segments.count == 2 { return collection }
    return GroupScan.isMember(segments) ? IntegritySchema.groupMembers : nil
  }

  // MARK: The spool

  private func spoolPage(
    _ page: [RawDocument],
    of collection: CollectionPath,
    to spool: IntegritySpool
  ) async throws {
    typealias Schema = IntegritySchema
    switch collection {
    case Schema.users:
      try await spool.add(
        page.map {
          IntegritySpool.Entry(
            id: $0.path.id,
            link: $0.fields.foreignKey("linkedMemberId"),
            isAdmin: $0.fields.says("admin", "role") && $0.fields.isActive("isActive", "activo")
          )
        },
        of: collection
      )
    case Schema.members:
      try await spool.add(
        page.map { .init(id: $0.path.id, link: $0.fields.foreignKey("linkedUserId")) },
        of: collection
      )
      try await spool.add(
        page.compactMap { document in
          document.fields.foreignKey("familyGroupId").map {
            IntegritySpool.Relative(
              id: document.path.id,
              family: $0,
              isOwner: document.fields.says("owner", "groupRole")
            )
          }
        }
      )
    case Schema.plans: try await spool.add(page.map { .init(id: $0.path.id) }, of: collection)
    case Schema.classes:
      try await spool.add(page.map { .init(id: $0.path.id) }, of: collection)
      try await spool.add(
        page.compactMap { document in
          switch document.fields.present("capacidadMax") {
          case nil: IntegritySpool.Class(id: document.path.id, capacity: .missing)
          case .integer(let places)?: IntegritySpool.Class(id: document.path.id, capacity: .places(places))
          default: nil
          }
        }
      )
    case Schema.bookings:
      try await spool.add(
        page.compactMap { document in
          guard document.fields.says("activa", "estado"), let id = document.fields.foreignKey("classId")
          else {
            return nil
          }
          return IntegritySpool.Booking(
            id: document.path.id,
            classID: id,
            userID: document.fields.foreignKey("userId")
          )
        }
      )
    default: break
    }
  }

  // MARK: References

  /// Looks up what the documents of a page point at.
  ///
  /// The members of users are not in yet; ``settleMembers`` does it.
  private func checkReferences(
    _ page: [RawDocument],
    of collection: CollectionPath,
    by spool: IntegritySpool,
    _ report: (IntegrityFinding) throws -> Void
  ) async throws {
    if collection == IntegritySchema.users { return }
    if rules.isDisjoint(with: [.foreignKeyDangling, .linkNotMirrored, .setupAdmin]) { return }
    var references: [(document: RawDocument, key: IntegritySchema.ForeignKey, id: String)] = []
    for document in page {
      if collection == IntegritySchema.appConfig, document.path != IntegritySchema.setup { continue }
      for key in IntegritySchema.foreignKeys(of: collection) {
        if let id = document.fields.foreignKey(key.field) { references.append((document, key, id)) }
      }
      if document.path == IntegritySchema.setup { try checkEmptyAdmin(document, report) }
    }
    let targets = try await spool.look(up: references.map { ($0.key.target, $0.id) })
    for (reference, target) in zip(references, targets) {
      let (document, key, id) = reference
      if target == nil { try report(.dangling(document.path, key.field, .string(id), key.target)) }
      if key.field == "linkedUserId", let target, !(target.link?.isIdentical(to: document.path.id) ?? false) {
        try report(.notMirrored(document.path, key.field, .string(id), key.target))
      }
      if document.path == IntegritySchema.setup, !(target?.isAdmin ?? false) {
        try report(
          .setupAdmin(.string(id), "The user of adminUserId does not exist, is no admin, or is not active.")
        )
      }
    }
  }

  /// An adminUserId that is absent, null or empty names no admin.
  private func checkEmptyAdmin(_ setup: RawDocument, _ report: (IntegrityFinding) throws -> Void) throws {
    let value = setup.fields.present("adminUserId")
    if value == nil || value?.string?.isEmpty ?? false {
      try report(.setupAdmin(value, "adminUserId names no user."))
    }
  }

  private func settleMembers(
    _ spool: IntegritySpool,
    _ report: (IntegrityFinding) throws -> Void
  ) async throws {
    let members = IntegritySchema.members
    if !rules.isDisjoint(with: [.foreignKeyDangling, .linkNotMirrored]) {
      try await spool.forEachBrokenLink(of: IntegritySchema.users, to: members) { result in
        let path = DocumentPath(IntegritySchema.users, result.id)
        try report(
          result.kind == .dangling
            ? .dangling(path, "linkedMemberId", result.value, members)
            : .notMirrored(path, "linkedMemberId", result.value, members)
        )
      }
    }
    if !rules.contains(.familyGroupOwner) { return }
    try await spool.forEachBrokenFamily { result in
      try report(
        IntegrityFinding(
          .familyGroupOwner,
          DocumentPath(members, result.id),
          field: "familyGroupId",
          value: result.value,
          result.kind == .noOwner
            ? "The family group has no owner; members: \(result.count)."
            : "The member is one of \(result.count) owners of the family group."
        )
      )
    }
  }

  private func settleBookings(
    _ spool: IntegritySpool,
    _ report: (IntegrityFinding) throws -> Void
  ) async throws {
    if rules.contains(.bookingDuplicate) {
      try await spool.forEachDuplicateBooking { result in
        try report(
          IntegrityFinding(
            .bookingDuplicate,
            DocumentPath(IntegritySchema.bookings, result.id),
            field: "userId",
            value: result.value,
            "The booking is one of \(result.count) active ones of the user for the class."
          )
        )
      }
    }
    if !rules.contains(.classOverbooked) { return }
    try await spool.forEachOverbookedClass { result in
      try report(
        IntegrityFinding(
          .classOverbooked,
          DocumentPath(IntegritySchema.classes, result.id),
          field: "capacidadMax",
          value: result.value,
          result.value == nil
            ? "The class has no capacidadMax; active bookings: \(result.count)."
            : "The class has \(result.count) active bookings, more than capacidadMax."
        )
      )
    }
  }
}

extension IntegrityFinding {
  fileprivate static func dangling(
    _ path: DocumentPath,
    _ field: String,
    _ value: Value?,
    _ target: CollectionPath
  ) -> IntegrityFinding {
    IntegrityFinding(
      .foreignKeyDangling,
      path,
      field: field,
      value: value,
      "\(field) names a document that is not in \(target)."
    )
  }

  fileprivate static func notMirrored(
    _ path: DocumentPath,
    _ field: String,
    _ value: Value?,
    _ target: CollectionPath
  ) -> IntegrityFinding {
    IntegrityFinding(
      .linkNotMirrored,
      path,
      field: field,
      value: value,
      "The document of \(target) that \(field) names does not name this one."
    )
  }

  fileprivate static func setupAdmin(_ value: Value?, _ message: String) -> IntegrityFinding {
    IntegrityFinding(.setupAdmin, IntegritySchema.setup, field: "adminUserId", value: value, message)
  }
}
