import FirestoreREST

/// Unifies `users`: adds missing unified fields from what the iOS and Android eras wrote.
///
/// Nothing is removed and no existing value is rewritten; missing means absent, null or blank. A document with a value of the
/// wrong type is left alone entirely. Doubtful name parts are withheld, while the document's other fields are unified, unless
/// ``acceptProposals``. See ``Code`` for the findings.
package struct UsersUnify: Migration {
  /// The findings about a document; the raw value is the code in reports.
  ///
  /// A name has at most one finding, with the first code in this order that applies. It is a ``Finding/Kind/review``; once a
  /// person has decided it or the proposals are accepted, and no required part is missing, nothing is left to decide and it is a
  /// ``Finding/Kind/note``.
  package enum Code: String, Sendable, CaseIterable {
    /// fullName, Android's parts and the existing unified parts disagree, even if nothing is missing.
    case nameDisagrees = "name-disagrees"
    /// A word of fullName is not plainly part of a name, or one of Android's parts has no letter.
    case nameUnusual = "name-unusual"
    case nameOneWord = "name-one-word"
    case nameManyWords = "name-many-words"
    case nameParticle = "name-particle"
    /// The paternal name, a required part, is missing everywhere.
    case nameNoPaternal = "name-no-paternal"
    /// The given name, a required part, is missing everywhere.
    case nameNoFirst = "name-no-first"
    /// There is no name at all. A note, because there is nothing to propose or to decide.
    case nameMissing = "name-missing"
    /// The paternal name that is written is a common given name. A note, because the apps split it the same way.
    case nameTwoGiven = "name-two-given"
    /// isActive and activo disagree; isActive is kept. A review.
    case activeDisagrees = "active-disagrees"
    /// There is no role; none is invented. A note, because nothing depends on it.
    case roleMissing = "role-missing"
    /// The role is `owner` or `staff`. A note.
    case roleDeprecated = "role-deprecated"
    /// The role is unknown to the apps. A note.
    case roleUnknown = "role-unknown"
    /// The name was decided (``review``), but the document has changed since it was listed. A review.
    case reviewStale = "review-stale"
    /// The name was decided, but an existing field, which is never rewritten, differs. A review.
    case reviewFieldStands = "review-field-stands"
    /// The decided fullName differs from the decided parts. A review.
    case reviewDisagrees = "review-disagrees"
    /// The name of a missing document was decided. A review.
    case reviewUnknown = "review-unknown"
    /// A value does not have its field's type. A reject.
    case wrongType = "wrong-type"
  }

  /// Why a field is written, in this order; the raw value is the reason in plans.
  package enum Reason: String, Sendable, CaseIterable {
    case fullNameFromParts = "fullName-from-parts"
    case firstNameFromNombre = "firstName-from-nombre"
    case firstNameFromFullName = "firstName-from-fullName"
    case paternalFromPrimerApellido = "paternalLastName-from-primerApellido"
    case paternalFromFullName = "paternalLastName-from-fullName"
    case maternalFromSegundoApellido = "maternalLastName-from-segundoApellido"
    case maternalFromFullName = "maternalLastName-from-fullName"
    case fullNameFromReview = "fullName-from-review"
    case firstNameFromReview = "firstName-from-review"
    case paternalFromReview = "paternalLastName-from-review"
    case maternalFromReview = "maternalLastName-from-review"
    case phoneFromTelefono = "phone-from-telefono"
    case isActiveFromActivo = "isActive-from-activo"
    case isActiveDefault = "isActive-default"
    case onboardingCompletedDefault = "onboardingCompleted-default"
  }

  /// Whether to write the proposals for doubtful names unchanged.
  package var acceptProposals: Bool
  /// A person's decisions about doubtful names, which take precedence over proposals.
  package var review: NameReview?

  package let id = "users-unify"
  package let summary = "Adds the missing unified fields to users from those of the iOS and Android eras."
  package let reads = [GymCollection.users]
  package var notices: [String] { review?.notices ?? [] }

  package init(acceptProposals: Bool = false, review: NameReview? = nil) {
    self.acceptProposals = acceptProposals
    self.review = review
  }

  /// Each user is decided separately; a name that was decided for a missing user is a finding.
  package var strategy: MigrationStrategy {
    .perDocument(
      PerDocument(
        sources: reads.map { CollectionRead($0) },
        outcome: outcome,
        expected: PerDocument.Expected({ review?.decisions.keys.sorted() ?? [] }, ifMissing: Self.unknown)
      )
    )
  }

  private static func unknown(_ path: DocumentPath) -> Finding {
    Finding(
      .review,
      path: path,
      code: Code.reviewUnknown.rawValue,
      message: "A name was decided for it, and there is no such document."
    )
  }

  package func outcome(for document: RawDocument) -> Outcome {
    let user = UserFields(document.fields)
    if !user.wrongTypes.isEmpty {
      return Outcome(
        .skip,
        findings: user.wrongTypes.map { document.wrongType($0.field, found: $0.value) }
      )
    }

    var name = UnifiedName(user)
    var edit = Edit()
    let decided = decidedName(of: document, user, name)
    if let decided {
      edit.set(name.sure, from: name.source, where: { !decided.decides($0) })
      for (field, text) in decided.assignments {
        edit.set(field, .string(text), because: "\(field.rawValue)-from-review")
      }
      // From now on the rules see the document with these fields, so findings are those that remain.
      name = UnifiedName(UserFields(document.fields.applying(edit.fields)))
    }
    let acceptsProposals = acceptProposals && decided == nil
    edit.set(name.sure, from: name.source, where: { !(decided?.decides($0) ?? false) })
    if acceptsProposals { edit.set(name.proposed, from: name.source) }
    if user.phone == nil, let telefono = user.telefono {
      edit.set(.phone, .string(PlainText.tidied(telefono)), .phoneFromTelefono)
    }
    if user.isActive == nil {
      edit.set(
        .isActive,
        .boolean(user.effectiveIsActive),
        user.activo == nil ? .isActiveDefault : .isActiveFromActivo
      )
    }
    if user.onboardingCompleted == nil {
      edit.set(.onboardingCompleted, .boolean(false), .onboardingCompletedDefault)
    }

    let change = edit.reasons.isEmpty ? nil : document.changing(edit.fields, reasons: edit.reasons)
    var findings: [Finding] = []
    if let doubt = name.doubt {
      let fields = change?.after ?? document.fields
      let isDecided = acceptsProposals || (decided?.isTaken ?? false && !name.isWithheld)
      findings.append(finding(doubt, name, fields: fields, isDecided: isDecided, of: document))
    }
    if let finding = activeFinding(user, of: document) { findings.append(finding) }
    if let finding = roleFinding(user, of: document) { findings.append(finding) }
    if let decided { findings += decided.findings(about: document) }
    if let change { return Outcome(.change(change), findings: findings) }
    return Outcome(name.isWithheld ? .skip : .unchanged, findings: findings)
  }

  /// Returns a person's decision about the user's name, compared with what the list would show today.
  private func decidedName(
    of document: RawDocument,
    _ user: UserFields,
    _ name: UnifiedName
  ) -> DecidedName? {
    guard let review, let decision = review.decision(on: document.path, proposed: name.proposed) else {
      return nil
    }
    var fields = document.fields
    name.sure.forEach { field, text in fields[field.rawValue] = .string(text) }
    let found = name.doubt.flatMap { Self.found($0, in: fields, of: document) }
    return DecidedName(
      decision,
      columns: review.columns,
      user: user,
      name: name,
      found: FindingLists.text(of: found)
    )
  }

  // MARK: Findings

  private func finding(
    _ doubt: UnifiedName.Doubt,
    _ name: UnifiedName,
    fields: FieldMap,
    isDecided: Bool,
    of document: RawDocument
  ) -> Finding {
    var proposal = FieldMap()
    name.proposed.forEach { field, text in proposal[field.rawValue] = .string(text) }
    // What is withheld and not even proposed needs a review.
    var isSettled = doubt == .noName || doubt == .twoGiven
    if isDecided, !name.isWithheld || !name.proposed.isEmpty {
      let after = UserFields(fields).unifiedName
      isSettled = isSettled || (after.firstName != nil && after.paternalLastName != nil)
    }
    let (code, message) = Self.text(of: doubt)
    let field: UserField =
      doubt == .noPaternal ? .paternalLastName : doubt == .noFirst ? .firstName : .fullName
    return document.finding(
      isSettled ? .note : .review,
      code.rawValue,
      field.rawValue,
      Self.found(doubt, in: fields, of: document),
      proposal: proposal,
      message
    )
  }

  /// Returns the name's fields after the run: only the text of fullName if the doubt is about that alone, and the document has no
  /// other.
  ///
  /// This includes what the run itself writes, so that a list is as valid after the run as after its plan. It is everything that
  /// a proposal depends on: a list is stale if the document differs.
  private static func found(
    _ doubt: UnifiedName.Doubt,
    in fields: FieldMap,
    of document: RawDocument
  ) -> Value? {
    let names: [UserField] =
      PersonName.Part.allCases.map(UserField.init)
      + PersonName.Part.allCases.compactMap { UserField($0).legacy }
    let isAlone = names.allSatisfy { document.fields[$0.rawValue] == nil }
    switch doubt {
    case .split where isAlone, .twoGiven: return fields[UserField.fullName.rawValue]
    case .split, .disagrees, .noLetter, .noPaternal, .noFirst, .noName: break
    }
    var found = FieldMap()
    for field in [.fullName] + names { found[field.rawValue] = fields[field.rawValue] }
    return found.isEmpty ? nil : .map(found)
  }

  private static func text(of doubt: UnifiedName.Doubt) -> (Code, String) {
    switch doubt {
    case .disagrees: (.nameDisagrees, "fullName and the parts of the name do not say the same.")
    case .noLetter: (.nameUnusual, "A part of the name has no letter.")
    case .split(.unusual):
      (.nameUnusual, "fullName holds a sign, a digit, a single letter, an abbreviation or a title.")
    case .split(.oneUnit): (.nameOneWord, "fullName is one word: a given name or a surname is missing.")
    case .split(.manyUnits):
      (.nameManyWords, "fullName has more than three units; where the given name ends is a guess.")
    case .split(.particle):
      (.nameParticle, "fullName holds a particle; the word that it belongs to is a guess.")
    case .noPaternal: (.nameNoPaternal, "There is no paternal surname.")
    case .noFirst: (.nameNoFirst, "There is no given name.")
    case .noName: (.nameMissing, "There is no name.")
    case .twoGiven:
      (.nameTwoGiven, "The second word of fullName, the paternal surname, is a common given name.")
    }
  }

  private func activeFinding(_ user: UserFields, of document: RawDocument) -> Finding? {
    guard let isActive = user.isActive, let activo = user.activo, isActive != activo else { return nil }
    let found = Value.map(["isActive": .boolean(isActive), "activo": .boolean(activo)])
    let message = "isActive and activo disagree; isActive stays."
    return document.finding(.review, Code.activeDisagrees.rawValue, "isActive", found, message)
  }

  private func roleFinding(_ user: UserFields, of document: RawDocument) -> Finding? {
    func note(_ code: Code, _ message: String) -> Finding {
      document.finding(.note, code, UserField.role.rawValue, message)
    }
    guard let role = user.role else { return note(.roleMissing, "There is no role; none is invented.") }
    guard let known = UserRole(exactly: role) else {
      return note(.roleUnknown, "The role is none that the apps know.")
    }
    return known.isDeprecated ? note(.roleDeprecated, "The role is deprecated.") : nil
  }
}

extension UsersUnify {
  /// The fields of a document to set, with the reasons.
  private struct Edit {
    private(set) var fields = FieldEdit()
    private(set) var reasons: [String] = []

    mutating func set(_ field: UserField, _ value: Value, _ reason: Reason) {
      set(field, value, because: reason.rawValue)
    }

    mutating func set(_ field: UserField, _ value: Value, because reason: String) {
      if reasons.isEmpty {
        fields.reserveCapacity(Self.most)
        reasons.reserveCapacity(Self.most)
      }
      fields.set(field.rawValue, to: value)
      reasons.append(reason)
    }

    /// Sets the name's texts for the selected fields.
    mutating func set(
      _ texts: UnifiedName.Texts,
      from source: UnifiedName.Source,
      where isWanted: (UserField) -> Bool = { _ in true }
    ) {
      texts.forEach { field, text in
        if isWanted(field) { set(field, .string(text), Reason(field, from: source)) }
      }
    }

    /// The maximum number of fields that a document can get, with updatedAt.
    private static let most = 8
  }
}

extension UsersUnify.Reason {
  fileprivate init(_ field: UserField, from source: UnifiedName.Source) {
    let isFromFullName = source == .fullName
    self =
      switch field {
      case .firstName: isFromFullName ? .firstNameFromFullName : .firstNameFromNombre
      case .paternalLastName: isFromFullName ? .paternalFromFullName : .paternalFromPrimerApellido
      case .maternalLastName: isFromFullName ? .maternalFromFullName : .maternalFromSegundoApellido
      default: .fullNameFromParts
      }
  }
}
