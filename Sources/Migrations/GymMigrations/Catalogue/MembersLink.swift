/// Links accounts and members mutually: `users.linkedMemberId` and `members.linkedUserId`.
///
/// A link to an existing person is never rewritten. If only one side has it, the other is completed. People without a link are
/// matched by phone, then by email, but only if each is the other's only match among all users and members; doubtful cases are
/// listed with the user.
///
/// The two documents of a pair are written separately: a run that is stopped in between leaves half a link, which the next run
/// completes. Memory does not grow with the collections, because they are spooled to a temporary file.
package struct MembersLink: Migration {
  /// The findings about a document; the raw value is the code in reports.
  package enum Code: String, Sendable, CaseIterable {
    case linkContradicts = "link-contradicts"
    case linkClaimedTwice = "link-claimed-twice"
    case linkDangling = "link-dangling"
    case matchAmbiguous = "match-ambiguous"
    case matchContradicts = "match-contradicts"
    /// The only match, or the user, is not active.
    case matchInactive = "match-inactive"
    /// All matches are already linked to others, usually because one person has a second account. A note.
    case matchTaken = "match-taken"
    /// The names of the two linked people have no word in common, usually because they share a parent's phone. A note.
    case matchNameDiffers = "match-name-differs"
    case wrongType = "wrong-type"

    fileprivate var kind: Finding.Kind {
      switch self {
      case .matchTaken, .matchNameDiffers: .note
      case .wrongType: .reject
      default: .review
      }
    }

    fileprivate var message: String {
      switch self {
      case .linkContradicts: "The link names somebody whose own link names another."
      case .linkClaimedTwice: "There is no link, and several name this document in theirs."
      case .linkDangling: "The link names nobody, and there is nobody to link instead."
      case .matchAmbiguous: "Several people share the phone or the email."
      case .matchContradicts: "Phone and email lead to different people."
      case .matchInactive: "The only match is with somebody who is not active."
      case .matchTaken: "Those who match are linked to others already, or left alone."
      case .matchNameDiffers: "The names of the two who are linked have no word in common."
      case .wrongType: "The value is not of its field's type."
      }
    }
  }

  /// Why a link is written; the raw value is the reason in plans.
  package enum Reason: String, Sendable, CaseIterable {
    /// The other side already refers to this document.
    case linkCompleted = "link-completed"
    /// As ``linkCompleted``, replacing a link to nobody.
    case linkReplaced = "link-replaced"
    /// One user and one member share the phone.
    case phoneMatches = "link-by-phone"
    /// One user and one member share the email.
    case emailMatches = "link-by-email"
  }

  package let id = "members-link"
  package let summary = "Links users and members, each the other's only match by phone or by email."
  package let reads = [GymCollection.users, GymCollection.members]
  package let writes = [GymCollection.users, GymCollection.members]
  /// A person who is linked is no longer a match for others.
  package let needsOriginals = true

  package init() {}

  package var strategy: MigrationStrategy { .streaming(decide) }

  /// Spools both collections, then decides on each document in order.
  ///
  /// - Throws: Errors of `source` and `sink`; `Failure` of kind `cannotWrite` if the spool cannot be written.
  private func decide(from source: any DocumentSource, into sink: any PlanSink) async throws {
    let spool = try LinkSpool()
    for side in LinkSpool.Side.allCases {
      let collection = side == .user ? GymCollection.users : GymCollection.members
      try await source.forEachDocument(in: collection, atOnce: SpoolDatabase.batch) { documents in
        var people: [(LinkSpool.Person, RawDocument?)] = []
        for document in documents {
          let (person, findings) = Self.person(side, document)
          if !findings.isEmpty { try await sink.record(Outcome(.skip, findings: findings), of: document) }
          people.append((person, findings.isEmpty ? document : nil))
        }
        try await spool.add(people)
      }
    }
    try await spool.index()
    var last: Int64 = 0
    while true {
      let page = try await spool.decisions(after: last)
      for (_, document, decision) in page {
        try await sink.record(Self.outcome(for: document, decision), of: document)
      }
      guard let end = page.last else { return }
      last = end.number
    }
  }

  // MARK: Reading

  private static func linkField(_ side: LinkSpool.Side) -> String {
    side == .user ? "linkedMemberId" : "linkedUserId"
  }

  /// Returns what the spool must know about a document, and what is wrong with it.
  static func person(
    _ side: LinkSpool.Side,
    _ document: RawDocument
  ) -> (person: LinkSpool.Person, findings: [Finding]) {
    var findings: [Finding] = []
    func read<Result>(_ value: () throws(WrongType) -> Result?) -> Result? {
      do throws(WrongType) {
        return try value()
      } catch {
        findings.append(error.finding)
        return nil
      }
    }
    func text(_ field: String) -> String? {
      read { () throws(WrongType) in try document.text(field) }
    }
    func truth(_ field: String) -> Bool? {
      read { () throws(WrongType) in try document.value(field, "boolean", \.boolean) }
    }
    var phone = text(CommonField.phone).flatMap(PhoneNumber.init)
    var isActive = truth(UserField.isActive.rawValue)
    if side == .user {
      let telefono = text(UserField.telefono.rawValue).flatMap(PhoneNumber.init)
      let activo = truth(UserField.activo.rawValue)
      isActive = isActive ?? activo
      if let both = phone, let telefono, both != telefono {
        // Two numbers, so that neither is certain.
        phone = nil
      } else {
        phone = phone ?? telefono
      }
    }
    let email = text(CommonField.email).map(EmailIndex.normalised)
    let link = text(linkField(side))
    let person = LinkSpool.Person(
      side: side,
      id: document.path.id,
      phone: phone?.digits,
      email: email.flatMap { EmailIndex.problem(ofNormalised: $0) == nil ? $0 : nil },
      link: link,
      nameWords: nameWords(side, document.fields),
      isActive: isActive ?? true,
      isFrozen: !findings.isEmpty
    )
    return (person, findings)
  }

  /// The words of all names in a document, without particles, case and accents.
  private static func nameWords(_ side: LinkSpool.Side, _ fields: FieldMap) -> Set<UTF8Key> {
    var names = [PersonName(ofMember: fields).joined]
    if side == .user {
      let user = UserFields(fields)
      names += [user.fullName ?? "", user.androidName.joined]
    }
    let words = names.flatMap(PlainText.tokens).filter { !NameSplit.isParticle($0) && NameWord.hasLetter($0) }
    return Set(words.map { UTF8Key(PlainText.folded($0)) })
  }

  // MARK: Outcomes

  private static func outcome(for document: RawDocument, _ decision: LinkDecision) -> Outcome {
    let side: LinkSpool.Side = document.path.collection == GymCollection.users ? .user : .member
    let field = linkField(side)
    func finding(_ code: Code, _ candidates: [String]) -> Finding {
      var found: FieldMap = ["candidates": .array(candidates.map { .string($0) })]
      found[field] = document.fields[field]
      return document.finding(code.kind, code.rawValue, field, .map(found), code.message)
    }
    switch decision {
    case .leave: return Outcome(.unchanged)
    case .link(let id, let reason, let note):
      let change = document.changing([field: .string(id)], reasons: [reason.rawValue])
      return Outcome(.change(change), findings: note.map { [finding($0, [id])] } ?? [])
    case .record(let code, let candidates):
      return Outcome(code.kind == .review ? .skip : .unchanged, findings: [finding(code, candidates)])
    }
  }
}
