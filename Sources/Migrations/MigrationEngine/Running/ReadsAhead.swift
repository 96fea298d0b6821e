import FirestoreREST

/// The turn of a source among those that are carried out one after the other.
struct Turn: Sendable {
  var stage = 0
  /// What reads for it, and meanwhile for those after it; nil where each read begins at its turn.
  var ahead: ReadsAhead?
  /// Those before it whose planned changes are seen in what it reads.
  var former: [ChangeSource] = []
}

/// The pages of sources that are carried out one after the other. Where ``ForeseenReads`` allow it, those of later
/// reads are on their way while the earlier ones are worked on, all under one budget.
actor ReadsAhead {
  private struct Lane {
    let turn: ForeseenReads.Read
    /// The read as it is made.
    let made: CollectionRead
  }

  private let client: FirestoreClient
  private let foreseen: ForeseenReads
  private var pages: CollectionPages?
  private var lanes: [Lane] = []
  /// The lanes that were asked for, the last one of them now.
  private var begun = 0

  init(_ client: FirestoreClient, _ foreseen: ForeseenReads) {
    self.client = client
    self.foreseen = foreseen
  }

  /// Begins a read of a source, and with it those that may come early, unless it has begun already.
  ///
  /// - Parameters:
  ///   - made: The read as it is made now.
  ///   - make: How a later one will be made at its turn.
  /// - Returns: Its number for ``next(of:)``; nil where there is nothing to be read with it. And what its
  ///   pages are billed.
  /// - Throws: What `make` throws.
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

  /// The next page of a read that was begun; nil after the last one.
  func next(of lane: Int) async throws -> [RawDocument]? { try await pages?.next(of: lane) }
}
