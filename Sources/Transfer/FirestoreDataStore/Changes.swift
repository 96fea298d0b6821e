import FirestoreREST

/// A change in a collection between two polls.
public enum DocumentChange<T: Sendable>: Sendable {
  /// A document that was not there before.
  case added(T)
  /// A document with another update time than before.
  case modified(T)
  /// A document that is gone, by its ID.
  case removed(id: String)
}

extension DocumentChange: Equatable where T: Equatable {}

extension FirestoreDataStore {
  /// The changes in a collection; see ``FirestoreDataStore/streamAll(every:clock:)``.
  ///
  /// Each iteration starts over, with all documents as added. It ends at the first error. Only IDs and update times are
  /// kept between polls.
  public struct Changes: AsyncSequence, Sendable {
    /// A change.
    public typealias Element = DocumentChange<T>

    let store: FirestoreDataStore
    let interval: Duration
    let clock: any Clock<Duration>

    /// Starts polling.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(changes: self) }

    /// The state of one iteration.
    public struct AsyncIterator: AsyncIteratorProtocol {
      private enum Step {
        /// The next poll is due, immediately if it is the first.
        case waiting
        case reading(DocumentPages.Iterator)
        case ended
      }

      private let changes: Changes
      private var step = Step.waiting
      private var isFirst = true
      /// The update times at the last poll, by ID.
      private var known: [UTF8Key: Timestamp] = [:]
      /// The update times seen in the current poll so far, by ID.
      private var seen: [UTF8Key: Timestamp] = [:]
      private var index = 0
      /// The documents that were found but not returned yet, in reverse order.
      private var found: [RawDocument] = []
      private var removed: [String] = []

      fileprivate init(changes: Changes) { self.changes = changes }

      /// Returns the next change, after as many polls as that takes; nil if the task is cancelled.
      public mutating func next() async throws -> DocumentChange<T>? {
        do {
          return try await advance()
        } catch {
          step = .ended
          found = []
          removed = []
          if Task.isCancelled { return nil }
          throw error
        }
      }

      private mutating func advance() async throws -> DocumentChange<T>? {
        while true {
          try Task.checkCancellation()
          if let document = found.popLast() {
            if let change = try change(of: document) { return change }
          } else if let id = removed.popLast() {
            return .removed(id: id)
          } else {
            switch step {
            case .ended: return nil
            case .waiting:
              if !isFirst { try await changes.clock.sleep(for: changes.interval) }
              isFirst = false
              index = 0
              step = .reading(changes.store.pages().makeAsyncIterator())
            case .reading(var pages):
              if let page = try await rethrowingPublicErrors({ try await pages.next() }) {
                found = page.reversed()
                step = .reading(pages)
              } else {
                finishPoll()
              }
            }
          }
        }
      }

      private mutating func change(of document: RawDocument) throws -> DocumentChange<T>? {
        defer { index += 1 }
        guard let time = document.updateTime else {
          throw FirestoreConnectionError(
            .unexpectedAnswer,
            "the document \(document.path) has no update time"
          )
        }
        let id = UTF8Key(document.path.id)
        seen[id] = time
        guard let last = known[id] else { return .added(try changes.store.decode(document, index: index)) }
        return last == time ? nil : .modified(try changes.store.decode(document, index: index))
      }

      private mutating func finishPoll() {
        removed = known.keys.filter { seen[$0] == nil }.sorted(by: >).map(\.string)
        known = seen
        seen = [:]
        step = .waiting
      }
    }
  }
}
