/// Rebuilds `user_emails`, the index from a normalized email address to the first account that used it.
///
/// An entry is kept, with its createdAt, if its user exists and has the email; its `email` is corrected if it differs from its
/// ID. Otherwise the entry is given to the user with that email and the earliest createdAt (the document's createTime if that
/// field is not a timestamp), with ties resolved by the bytes of the ID. If nobody has the email, or the entry's ID is not
/// normalized, the entry is an orphan: it is listed, and removed only with ``prune``. A valid email without an entry gets one.
/// The index is derived data, so a value of the wrong type in an entry is corrected like a wrong value.
///
/// Users are only read: a user is recorded, as skipped, only if the email cannot have an entry. Memory does not grow with the
/// collections, because the emails are spooled to a temporary file.
package struct UserEmails: Migration {
  /// The findings; the raw value is the code in reports.
  ///
  /// An orphan is a ``Finding/Kind/review`` until it is pruned, and then a note.
  package enum Code: String, Sendable, CaseIterable {
    /// The user has no email: it is absent or null. A note, because nothing is wrong with such an account.
    case emailMissing = "email-missing"
    /// The user's email is blank. A note, like a missing one.
    case emailEmpty = "email-empty"
    /// The user's email has no `@`. A review, as are the following.
    case emailNoAt = "email-no-at"
    case emailSlash = "email-slash"
    case emailTooLong = "email-too-long"
    /// The user's email is an ID that the service reserves.
    case emailReserved = "email-reserved"
    /// The user's email is not a text. A reject.
    case emailWrongType = "email-wrong-type"
    /// Nobody has the email, and the entry's user no longer exists.
    case orphanUserGone = "entry-orphan-user-gone"
    /// Nobody has the email; the entry's user has another or none.
    case orphanOtherEmail = "entry-orphan-other-email"
    /// Nobody has the email, and the entry refers to no user: primaryUserId is missing or not a text.
    case orphanNoUser = "entry-orphan-no-user"
    /// The entry's ID is not a normalized email, so no app finds it.
    case orphanNotNormalised = "entry-orphan-not-normalised"
    /// The entry was given to another user. A note.
    case entryReassigned = "entry-reassigned"
  }

  /// Why an entry is written, in this order; the raw value is the reason in plans.
  ///
  /// A pruned orphan's reason is its ``Code``.
  package enum Reason: String, Sendable, CaseIterable {
    case entryMissing = "entry-missing"
    case userGone = "primaryUserId-user-gone"
    case otherEmail = "primaryUserId-other-email"
    case noUser = "primaryUserId-no-user"
    /// The entry's `email` differed from its ID.
    case emailMended = "email-mended"
  }

  /// Whether to remove orphans.
  package var prune: Bool

  package var deletesForGood: Bool { prune }
  package var requestsPerDeletion: Int { subcollections == nil ? 0 : 1 }

  private var subcollections: SubcollectionGuard.Lister?

  package let id = "user-emails"
  package let summary = "Rebuilds user_emails, the index from an email to the account that first bore it."
  package let reads = [GymCollection.users, GymCollection.userEmails]
  package let writes = [GymCollection.userEmails]
  /// An entry that was corrected or removed no longer shows what was wrong with it.
  package let needsOriginals = true

  package init(prune: Bool = false) {
    self.prune = prune
  }

  package var strategy: MigrationStrategy { .streaming(decide) }

  package func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any Migration {
    var guarded = self
    guarded.subcollections = subcollections
    return guarded
  }

  /// Spools the users, decides on the entries in order, then records the entries to be created, ordered by ID.
  ///
  /// - Throws: Errors of `source` and `sink`; `Failure` of kind `cannotWrite` if the spool cannot be written.
  private func decide(from source: any DocumentSource, into sink: any PlanSink) async throws {
    let spool = try EmailSpool()
    let users = try await spoolUsers(from: source, to: spool, into: sink)
    try await recordEntries(from: source, by: spool, isEmpty: users == 0, into: sink)
    try await recordNewEntries(of: spool, into: sink)
  }

  // MARK: Users

  private func spoolUsers(
    from source: any DocumentSource,
    to spool: EmailSpool,
    into sink: any PlanSink
  ) async throws -> Int {
    var count = 0
    try await source.forEachDocument(in: GymCollection.users, atOnce: SpoolDatabase.batch) { documents in
      var users: [EmailSpool.User] = []
      for document in documents {
        let (user, finding) = Self.user(document)
        if let finding { try await sink.record(Outcome(.skip, findings: [finding]), of: document) }
        users.append(user)
      }
      count += users.count
      try await spool.add(users)
    }
    try await spool.indexUsers()
    return count
  }

  /// Returns what the index must know about a user, and why the user is not in it.
  static func user(_ document: RawDocument) -> (user: EmailSpool.User, finding: Finding?) {
    var user = EmailSpool.User(
      id: document.path.id,
      email: nil,
      isIndexable: false,
      createdAt: document.fields[CommonField.createdAt]?.timestamp ?? document.createTime
    )
    func finding(_ kind: Finding.Kind, _ code: Code, _ message: String) -> Finding {
      document.finding(kind, code, UserEmailEntry.Field.email, message)
    }
    switch document.fields[UserEmailEntry.Field.email] {
    case nil, .null?:
      return (user, finding(.note, .emailMissing, "The user has no email."))
    case .string(let text)?:
      let email = EmailIndex.normalised(text)
      user.email = email
      guard let problem = EmailIndex.problem(ofNormalised: email) else {
        user.isIndexable = true
        return (user, nil)
      }
      let found =
        switch problem {
        case .empty: finding(.note, .emailEmpty, "The user's email is blank.")
        case .noAt: finding(.review, .emailNoAt, "The user's email has no @.")
        case .slash: finding(.review, .emailSlash, "The user's email holds a slash.")
        case .tooLong: finding(.review, .emailTooLong, "The user's email is over 1,500 bytes.")
        case .reserved: finding(.review, .emailReserved, "The user's email is a reserved id.")
        }
      return (user, found)
    case let value?:
      return (user, finding(.reject, .emailWrongType, "The user's email is \(value.typeName), not string."))
    }
  }

  // MARK: Entries

  private func recordEntries(
    from source: any DocumentSource,
    by spool: EmailSpool,
    isEmpty: Bool,
    into sink: any PlanSink
  ) async throws {
    try await source.forEachDocument(in: GymCollection.userEmails, atOnce: SpoolDatabase.batch) { entries in
      if prune, isEmpty, !entries.isEmpty { throw Self.everythingIsOrphaned }
      let answers = try await spool.look(
        up: entries.map { ($0.path.id, UserEmailEntry.primaryUser(in: $0.fields)) }
      )
      var outcomes = zip(entries, answers).map { outcome(for: $0, $1) }
      if let subcollections { try await SubcollectionGuard.withhold(&outcomes, subcollections) }
      try await sink.record(outcomes, of: entries)
    }
  }

  /// An index in which no user is found means that the users are missing, not that the index is wrong.
  private static let everythingIsOrphaned = Failure(
    .notPermitted,
    "prune",
    path: GymCollection.userEmails.string,
    cause: "\(GymCollection.users) has no documents, so every entry would be deleted",
    remedy:
      "Import the users first. 'gymmigrate delete \(GymCollection.userEmails) --all-documents --hard' empties the index."
  )

  /// Returns the outcome of one entry, given what is known about its users.
  func outcome(for entry: RawDocument, _ answer: EmailSpool.Answer) -> Outcome {
    let id = entry.path.id
    guard EmailIndex.normalised(id).isIdentical(to: id) else {
      return orphan(entry, .orphanNotNormalised, "The entry's id is not a normalised email.")
    }
    guard let existing = UserEmailEntry.primaryUser(in: entry.fields) else {
      return reassigned(entry, to: answer.earliest, .noUser)
        ?? orphan(entry, .orphanNoUser, "The entry names no user, and nobody bears the email.")
    }
    if answer.userBearsEmail { return kept(entry, user: existing, reasons: []) }
    if answer.userExists {
      return reassigned(entry, to: answer.earliest, .otherEmail)
        ?? orphan(
          entry,
          .orphanOtherEmail,
          "The entry's user bears another email or none, and nobody bears this."
        )
    }
    return reassigned(entry, to: answer.earliest, .userGone)
      ?? orphan(entry, .orphanUserGone, "The entry's user is gone, and nobody bears the email.")
  }

  private func kept(_ entry: RawDocument, user: String, reasons: [Reason]) -> Outcome {
    let after = UserEmailEntry(primaryUserId: user, email: entry.path.id).fields(over: entry.fields)
    if after == entry.fields { return Outcome(.unchanged) }
    let isMended = entry.fields[UserEmailEntry.Field.email] != .string(entry.path.id)
    let all = (reasons + (isMended ? [.emailMended] : [])).map(\.rawValue)
    return Outcome(.change(Change(path: entry.path, before: entry, after: after, reasons: all)))
  }

  private func reassigned(_ entry: RawDocument, to user: String?, _ reason: Reason) -> Outcome? {
    guard let user else { return nil }
    var outcome = kept(entry, user: user, reasons: [reason])
    outcome.findings = [
      entry.finding(
        .note,
        Code.entryReassigned,
        UserEmailEntry.Field.primaryUserId,
        proposal: [UserEmailEntry.Field.primaryUserId: .string(user)],
        "The entry's user does not bear the email; it is given to the earliest who does."
      )
    ]
    return outcome
  }

  private func orphan(_ entry: RawDocument, _ code: Code, _ message: String) -> Outcome {
    let finding = entry.finding(prune ? .note : .review, code, UserEmailEntry.Field.primaryUserId, message)
    guard prune else { return Outcome(.skip, findings: [finding]) }
    return Outcome(
      .change(Change(path: entry.path, before: entry, after: nil, reasons: [code.rawValue])),
      findings: [finding]
    )
  }

  private func recordNewEntries(of spool: EmailSpool, into sink: any PlanSink) async throws {
    try await spool.forEachMissingEntry { email, user in
      let entry = UserEmailEntry(primaryUserId: user, email: email)
      let change = entry.creation(because: Reason.entryMissing.rawValue)
      let missing = RawDocument(path: change.path, fields: FieldMap())
      try await sink.record(Outcome(.change(change)), of: missing)
    }
  }
}
