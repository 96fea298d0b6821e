/// `_gymmigrate/lock`: the lock of the only run that may change a database.
///
/// The run renews its lease; a lease that was not renewed in time, by the service's clock, has expired, and another run may take
/// it. Preconditions on its document ensure that no two runs hold it.
struct Lease: Sendable, Equatable {
  static let path = DocumentPath(CollectionPath(nil, "_gymmigrate"), "lock")
  /// Seconds from a renewal to the expiry.
  static let duration = 60.0
  /// Seconds between renewals.
  static let renewal = 20.0

  /// The ID of the run.
  var run: String
  /// The user who started the run, as `user@host`.
  var holder: String
  var command: String
  /// The last renewal, which is the document's update time.
  var renewedAt: Timestamp?

  /// The state of the lease for a run that wants to acquire it.
  enum State: Equatable {
    case free
    /// Held by the run itself, or by one whose lease it may take over.
    case own
    case expired(Lease)
    /// Held by another run, for this many seconds until it expires.
    case held(Lease, seconds: Double)
  }

  /// The fields of the document, without `renewedAt`, which the service sets.
  var fields: FieldMap {
    ["runId": .string(run), "holder": .string(holder), "command": .string(command)]
  }

  /// - Parameters:
  ///   - document: The lease's document; nil if there is none.
  ///   - now: The service's time.
  ///   - runs: The runs whose lease may be taken over at once.
  static func state(of document: RawDocument?, now: Timestamp, for runs: [String]) -> State {
    guard let document else { return .free }
    let lease = Lease(document)
    if runs.contains(where: { $0.isIdentical(to: lease.run) }) { return .own }
    guard let renewedAt = lease.renewedAt else { return .held(lease, seconds: duration) }
    let age = Double(now.seconds - renewedAt.seconds) + Double(now.nanoseconds - renewedAt.nanoseconds) / 1e9
    return age > duration ? .expired(lease) : .held(lease, seconds: duration - age)
  }

  /// Returns the write that takes or renews the lease, provided that its document is unchanged since it was read.
  func write(over current: RawDocument?) -> Write {
    Write(
      path: Self.path,
      operation: .update(
        fields: fields,
        mask: current.map { _ in fields.entries.map { FieldPath(field: $0.name) } }
      ),
      transforms: [FieldTransform(FieldPath(field: "renewedAt"), .requestTime)],
      precondition: current?.updateTime.map { .updateTime($0) } ?? .exists(current != nil)
    )
  }

  /// Returns the write that removes the lease, provided that its document is unchanged since it was read.
  static func removal(of current: RawDocument) -> Write {
    let precondition = current.updateTime.map { Precondition.updateTime($0) } ?? .exists(true)
    return Write(path: path, operation: .delete, precondition: precondition)
  }
}

extension Lease {
  /// Reads the document, which another version may have written: a missing field is empty.
  init(_ document: RawDocument) {
    run = document.fields["runId"]?.string ?? ""
    holder = document.fields["holder"]?.string ?? ""
    command = document.fields["command"]?.string ?? ""
    renewedAt = document.updateTime
  }
}
