import FirestoreModels

/// `_gymmigrate/lock`: who may migrate a database.
///
/// Whoever holds it renews it; one that was not renewed for a while, by the service's own clock, is anybody's. It is taken
/// and given back by precondition, so that two never hold it.
struct Lease: Sendable, Equatable {
  /// Where it is.
  static let path = DocumentPath(CollectionPath(nil, "_gymmigrate"), "lock")
  /// Seconds that it holds without being renewed.
  static let duration = 60.0
  /// Seconds between renewals.
  static let renewal = 20.0

  /// The run that holds it.
  var run: String
  /// Who runs it, as `user@host`.
  var holder: String
  /// What it does.
  var command: String
  /// When it was renewed last, which is the document's update time.
  var renewedAt: Timestamp?

  /// The state of the lease for a run that wants to acquire it.
  enum State: Equatable {
    case free
    /// The run's own, or of one that it may take over.
    case own
    case expired(Lease)
    /// Somebody else's, for so many seconds still.
    case held(Lease, seconds: Double)
  }

  init(run: String, holder: String, command: String, renewedAt: Timestamp? = nil) {
    self.run = run
    self.holder = holder
    self.command = command
    self.renewedAt = renewedAt
  }

  /// Reads the document; what it does not say is empty.
  init(_ document: RawDocument) {
    run = document.fields["runId"]?.string ?? ""
    holder = document.fields["holder"]?.string ?? ""
    command = document.fields["command"]?.string ?? ""
    renewedAt = document.updateTime
  }

  /// The fields of the document, `renewedAt` aside, which the service sets.
  var fields: FieldMap {
    ["runId": .string(run), "holder": .string(holder), "command": .string(command)]
  }

  /// Judges by the document, nil where there is none, and the service's time.
  ///
  /// - Parameter runs: The runs whose lease may be taken over at once.
  static func state(of document: RawDocument?, now: Timestamp, for runs: [String]) -> State {
    guard let document else { return .free }
    let lease = Lease(document)
    if runs.contains(where: { $0.isIdentical(to: lease.run) }) { return .own }
    guard let renewedAt = lease.renewedAt else { return .held(lease, seconds: duration) }
    let age = Double(now.seconds - renewedAt.seconds) + Double(now.nanoseconds - renewedAt.nanoseconds) / 1e9
    return age > duration ? .expired(lease) : .held(lease, seconds: duration - age)
  }

  /// The write that takes or renews the lease, where its document is still as it was read.
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
}
