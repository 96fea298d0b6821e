/// Backfills a missing `payments.membershipPlanSnapshot` of a payment of type `membership` with the member's snapshot, if that
/// was assigned no later than the payment and has its price.
///
/// The snapshot is copied unchanged. Completed payments get it, too: a field that was never recorded is added, and nothing that
/// was recorded changes except for `updatedAt`, by which other systems notice the change. Members are only read.
package struct SnapshotBackfill: Migration {
  /// The findings about a payment; the raw value is the code in reports.
  ///
  /// All are ``Finding/Kind/review`` except for `wrongType`.
  package enum Code: String, Sendable, CaseIterable {
    case noMember = "payment-no-member"
    case memberGone = "payment-member-gone"
    case memberHasNone = "member-no-snapshot"
    /// The payment has no time, or the snapshot does not say when it was assigned.
    case undated = "snapshot-undated"
    /// The snapshot was assigned after the payment, so it belongs to a later plan.
    case later = "snapshot-later"
    case priceDiffers = "snapshot-price-differs"
    case wrongType = "wrong-type"

    fileprivate var message: String {
      switch self {
      case .noMember: "The payment names no member."
      case .memberGone: "The payment's member is gone."
      case .memberHasNone: "The member has no snapshot to take."
      case .undated: "It is unknown whether the member's snapshot was assigned before the payment."
      case .later: "The member's snapshot was assigned after the payment."
      case .priceDiffers: "The payment's amount or currency is not that of the member's snapshot."
      case .wrongType: "A value is not of its field's type."
      }
    }
  }

  /// Why a field is written; the raw value is the reason in plans.
  package enum Reason: String, Sendable, CaseIterable {
    case fromMember = "snapshot-from-member"
  }

  private static let snapshot = "membershipPlanSnapshot"

  package let id = "snapshot-backfill"
  package let summary = "Gives payments of memberships without a plan snapshot that of their member."
  package let reads = [GymCollection.members, GymCollection.payments]
  package let writes = [GymCollection.payments]

  package init() {}

  package var strategy: MigrationStrategy { .streaming(decide) }

  /// Spools the members' snapshots, then decides on the payments in order.
  ///
  /// - Throws: Errors of `source` and `sink`; `Failure` of kind `cannotWrite` if the spool cannot be written.
  private func decide(from source: any DocumentSource, into sink: any PlanSink) async throws {
    let spool = try SnapshotSpool()
    try await source.forEachDocument(in: GymCollection.members, atOnce: SpoolDatabase.batch) { members in
      try await spool.add(members.map { ($0.path.id, $0.fields[Self.snapshot]?.map) })
    }
    try await source.forEachDocument(in: GymCollection.payments, atOnce: SpoolDatabase.batch) { payments in
      let wanted = payments.map { Self.wants($0) ? $0.fields[Field.memberId]?.string : nil }
      for (payment, member) in zip(payments, try await spool.look(up: wanted)) {
        try await sink.record(outcome(for: payment, member: member), of: payment)
      }
    }
  }

  // MARK: Deciding

  private enum Field {
    static let type = "type"
    static let memberId = "memberId"
    static let completedAt = "completedAt"
    static let amount = "amount"
    static let currency = "currency"
  }

  /// What is known about the member to which a payment refers.
  enum Member: Sendable, Equatable {
    case gone
    case there(snapshot: FieldMap?)
  }

  private static func wants(_ payment: RawDocument) -> Bool {
    payment.fields[Field.type]?.string?.isIdentical(to: "membership") ?? false
      && payment.fields[snapshot] ?? .null == .null
  }

  /// Returns the outcome of one payment, given what is known about its member.
  func outcome(for payment: RawDocument, member: Member) -> Outcome {
    do throws(WrongType) {
      return try decide(payment, member)
    } catch {
      return Outcome(error)
    }
  }

  private func decide(_ payment: RawDocument, _ member: Member) throws(WrongType) -> Outcome {
    guard let type = try payment.text(Field.type), type.isIdentical(to: "membership") else {
      return Outcome(.unchanged)
    }
    if try payment.value(Self.snapshot, "map", \.map) != nil { return Outcome(.unchanged) }

    let memberID = try payment.text(Field.memberId)
    let completed = try payment.value(Field.completedAt, "timestamp", \.timestamp)
    let created = try payment.value(CommonField.createdAt, "timestamp", \.timestamp)
    let amount = try payment.value(Field.amount, "double", \.number)
    let currency = try payment.text(Field.currency)

    guard memberID != nil else { return Self.review(.noMember, payment, nil) }
    guard case .there(let found) = member else { return Self.review(.memberGone, payment, nil) }
    guard let found else { return Self.review(.memberHasNone, payment, nil) }
    guard let paid = completed ?? created, let assigned = found["assignedAt"]?.timestamp else {
      return Self.review(.undated, payment, found)
    }
    if assigned > paid { return Self.review(.later, payment, found) }
    guard let amount, let price = found["planPrice"]?.number, abs(price - amount) < 0.005,
      Self.agree(currency, found["planCurrency"] ?? .null)
    else {
      return Self.review(.priceDiffers, payment, found)
    }
    let edit: FieldEdit = [Self.snapshot: .map(found)]
    return Outcome(.change(payment.changing(edit, reasons: [Reason.fromMember.rawValue])))
  }

  /// Whether a payment's currency is that of a snapshot, if both have one.
  private static func agree(_ currency: String?, _ other: Value) -> Bool {
    if other.isNull { return true }
    guard let text = other.string else { return false }
    guard let own = currency.flatMap(Currency.code), let planned = Currency.code(text) else { return true }
    return own.isIdentical(to: planned)
  }

  /// Lists a payment with what a person needs to compare: its member, amount and times, and the member's snapshot.
  private static func review(_ code: Code, _ payment: RawDocument, _ snapshot: FieldMap?) -> Outcome {
    var found = FieldMap()
    for field in [Field.memberId, Field.amount, Field.completedAt, CommonField.createdAt] {
      found[field] = payment.fields[field]
    }
    if let snapshot { found[Self.snapshot] = .map(snapshot) }
    let value = found.isEmpty ? nil : Value.map(found)
    return Outcome(
      .skip,
      findings: [payment.finding(.review, code.rawValue, Self.snapshot, value, code.message)]
    )
  }
}

extension Value {
  /// The value of an integer or a double, because a price may be either, depending on who wrote it.
  fileprivate var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number.isFinite ? number : nil
    default: nil
    }
  }
}
