/// A decision about a name, compared with the document as it is.
struct DecidedName {
  /// What is written: decided, and missing in the document.
  private(set) var texts: [UserField: String] = [:]
  /// The existing fields that say otherwise.
  private(set) var standing: [UserField] = []
  /// Whether the name is not what it was when it was listed; nothing is written then.
  private(set) var isStale = false
  /// Whether the decided fullName is not that of the parts; nothing is written then.
  private(set) var disagrees = false

  /// Whether the document says what was decided, now or once it is written.
  var isTaken: Bool { standing.isEmpty && !isStale && !disagrees }

  private let decision: NameReview.Decision
  /// The fields that it decides: those that it has a text of, and those whose proposal was emptied; all of its columns once the
  /// document is as decided.
  private let fields: Set<UserField>

  /// Judges a decision.
  ///
  /// - Parameters:
  ///   - columns: The fields that it has a column of.
  ///   - found: What the list would say today was found.
  init(
    _ decision: NameReview.Decision,
    columns: [UserField],
    user: UserFields,
    name: UnifiedName,
    found: String
  ) {
    self.decision = decision
    for field in NameReview.fields {
      guard let wanted = decision.texts[field] else { continue }
      guard let existing = user.text(of: field) else {
        texts[field] = wanted
        continue
      }
      if !PlainText.saySame(existing, wanted) { standing.append(field) }
    }
    if texts.isEmpty, standing == [.fullName], Self.followsParts(decision, user) { standing = [] }
    var fields = Set(texts.isEmpty && standing.isEmpty ? columns : Array(decision.texts.keys))
    name.proposed.forEach { field, _ in if columns.contains(field) { fields.insert(field) } }
    self.fields = fields
    // What is already as decided needs no look at what was found: handing the list back twice is no mistake.
    if texts.isEmpty { return }
    // White space aside: line ends are a spreadsheet's to choose.
    if !PlainText.tidied(decision.found).isIdentical(to: PlainText.tidied(found)) {
      isStale = true
    } else {
      complete(user, name)
    }
    if isStale || disagrees { texts = [:] }
  }

  /// Whether it says what becomes of a field, so that nothing else does.
  func decides(_ field: UserField) -> Bool { !isStale && !disagrees && fields.contains(field) }

  /// What is written, in the order of the fields.
  var assignments: [(field: UserField, text: String)] {
    NameReview.fields.compactMap { field in texts[field].map { (field, $0) } }
  }

  /// What keeps the decision from being written as it is, to be listed with it.
  func findings(about document: RawDocument) -> [Finding] {
    let proposal = FieldMap(
      decision.texts.map { FieldMap.Entry(name: $0.key.rawValue, value: .string($0.value)) }
    )
    func finding(_ code: UsersUnify.Code, _ field: UserField, _ message: String) -> Finding {
      document.finding(.review, code, field.rawValue, proposal: proposal, message)
    }
    var findings = standing.map { field in
      finding(
        .reviewFieldStands,
        field,
        "\(field.rawValue) is not what was decided; it is never rewritten, so change it in the app."
      )
    }
    if isStale {
      findings.append(
        finding(.reviewStale, .fullName, "The name is not what it was when it was listed; decide again.")
      )
    }
    if disagrees {
      findings.append(
        finding(.reviewDisagrees, .fullName, "The decided fullName is not that of the decided parts.")
      )
    }
    return findings
  }

  /// Whether the present fullName is that of the parts as they were decided, and the one of the row is not: the row was left as
  /// it was proposed, and the parts made the fullName when it was taken.
  private static func followsParts(_ decision: NameReview.Decision, _ user: UserFields) -> Bool {
    guard !decision.parts.isEmpty, let wanted = decision.texts[.fullName], let existing = user.fullName
    else { return false }
    let parts = user.unifiedName
    return parts.agrees(withFullName: existing) && !parts.agrees(withFullName: wanted)
  }

  /// Holds the decided fullName, though another stands, against the parts as they will be.
  ///
  /// A proposal that was left as it was while the parts were corrected is no decision: the parts make the fullName.
  private mutating func complete(_ user: UserFields, _ name: UnifiedName) {
    let standing = standing.contains(.fullName) ? decision.texts[.fullName] : nil
    guard let fullName = texts[.fullName] ?? standing else { return }
    var rest = name.name(of: user, accepting: false)
    for (part, field) in zip(PersonName.Part.allCases, NameReview.fields.dropFirst()) where decides(field) {
      rest[part] = nil
    }
    let parts = user.unifiedName.filled(from: decision.parts).filled(from: rest)
    if parts.isEmpty || parts.agrees(withFullName: fullName) { return }
    let proposal = name.proposed.fullName
    if let proposal, PlainText.tidied(proposal).isIdentical(to: fullName) {
      texts[.fullName] = parts.joined
    } else {
      disagrees = true
    }
  }
}

extension UserFields {
  fileprivate func text(of field: UserField) -> String? {
    switch field {
    case .fullName: fullName
    case .firstName: unifiedName.firstName
    case .paternalLastName: unifiedName.paternalLastName
    case .maternalLastName: unifiedName.maternalLastName
    default: nil
    }
  }
}
