import FirestoreREST

/// The turn of one of several sources that are executed one after another.
struct Turn: Sendable {
  var stage = 0
  /// Reads ahead for this and later sources; nil if each read begins at its turn.
  var ahead: ReadsAhead?
  /// The earlier sources whose planned changes this one sees.
  var former: [ChangeSource] = []
}

/// Fetches the pages of sources that are executed one after another.
///
/// Where ``ForeseenReads`` permits it, the pages of later reads are fetched while earlier ones are processed, all within one
/// budget.
actor ReadsAhead {
  private struct Lane {
    let turn: ForeseenReads.Read
    /// The read as it is executed.
    let made: CollectionRead
  }

  private let client: FirestoreClient
  private let foreseen: ForeseenReads
  private var pages: CollectionPages?
  private var lanes: [Lane] = []
  /// The number of lanes requested so far; the last of them is the current one.
  private var begun = 0

  init(_ client: FirestoreClient, _ foreseen: ForeseenReads) {
    self.client = client
    self.foreseen = foreseen
  }

  /// Begins a read of a source, together with later reads that may begin early, unless it has already begun.
  ///
  /// - Parameters:
  ///   - made: The read as it is executed now.
  ///   - make: Returns how a later read will be executed at its turn.
  /// - Returns: The lane for ``next(of:)`` and the billed reads of its pages; nil if no other read can begin with it.
  /// - Throws: Errors of `make`.
  func begin(
    _ read: CollectionRead,
    of stage: Int,
    as made: CollectionRead,
    _ make: @Sendable (CollectionRead) throws(Failure) -> CollectionRead
  ) throws(Failure) -> (lane: Int, billed: BilledReads)? {
    let turn = ForeseenReads.Read(stage: stage, read: read)
    if let pages, let lane = lanes[begun...].firstIndex(where: { $0.turn == turn }), lanes[lane].made == made
    {
      begun = lane + 1
      return (lane, pages.billed)
    }
    (pages, lanes, begun) = (nil, [], 0)
    let together = foreseen.together(with: read, of: stage)
    guard together.count > 1 else { return nil }
    lanes = [Lane(turn: turn, made: made)]
    for later in together.dropFirst() { lanes.append(Lane(turn: later, made: try make(later.read))) }
    let begunPages = client.pages(ofEach: lanes.map(\.made))
    pages = begunPages
    begun = 1
    return (0, begunPages.billed)
  }

  /// Returns the next page of a read that has begun; nil after the last one.
  func next(of lane: Int) async throws -> [RawDocument]? { try await pages?.next(of: lane) }
}
