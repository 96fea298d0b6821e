/// A decision about a name, compared with the present document.
struct DecidedName {
  /// The texts to write: decided, and missing in the document.
  private(set) var texts: [UserField: String] = [:]
  /// The existing fields that differ from the decision.
  private(set) var standing: [UserField] = []
  /// Whether the name has changed since it was listed; nothing is written then.
  private(set) var isStale = false
  /// Whether the decided fullName differs from that of the parts; nothing is written then.
  private(set) var disagrees = false

  /// Whether the document is as decided, now or once it is written.
  var isTaken: Bool { standing.isEmpty && !isStale && !disagrees }

  private let decision: NameReview.Decision
  /// The decided fields: those with a text, and those whose proposal was emptied; all of its columns once the document is as
  /// decided.
  private let fields: Set<UserField>

  /// Evaluates a decision.
  ///
  /// - Parameters:
  ///   - columns: The fields that have a column.
  ///   - found: What the list would show as found today.
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
    // If the document is already as decided, the found value need not match, so that the same list can be applied twice.
    if texts.isEmpty { return }
    // White space is ignored, because spreadsheets change line ends.
    if !PlainText.tidied(decision.found).isIdentical(to: PlainText.tidied(found)) {
      isStale = true
    } else {
      complete(user, name)
    }
    if isStale || disagrees { texts = [:] }
  }

  /// Whether it decides a field, so that nothing else does.
  func decides(_ field: UserField) -> Bool { !isStale && !disagrees && fields.contains(field) }

  /// The fields to write with their texts, in order.
  var assignments: [(field: UserField, text: String)] {
    NameReview.fields.compactMap { field in texts[field].map { (field, $0) } }
  }

  /// Returns what prevents the decision from being written, to be listed with it.
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

  /// Whether the present fullName follows from the decided parts and the row's does not: the row was left as proposed, and
  /// fullName was made from the parts when it was applied.
  private static func followsParts(_ decision: NameReview.Decision, _ user: UserFields) -> Bool {
    guard !decision.parts.isEmpty, let wanted = decision.texts[.fullName], let existing = user.fullName
    else { return false }
    let parts = user.unifiedName
    return parts.agrees(withFullName: existing) && !parts.agrees(withFullName: wanted)
  }

  /// Compares the decided fullName, even if another exists, with the parts as they will be.
  ///
  /// A proposal that was left unchanged while the parts were corrected is not a decision: fullName is made from the parts.
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
