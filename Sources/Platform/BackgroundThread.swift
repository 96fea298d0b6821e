/// Threads outside the cooperative pool, for blocking work.
package enum BackgroundThread {
  #if canImport(Darwin)
    private typealias Routine = @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?
  #else
    private typealias Routine = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  #endif

  /// Runs `body` on a new thread; traps if the system refuses one.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    if !tryToStart(body) { preconditionFailure("cannot start a thread") }
  }

  /// Runs `body` on a new thread; returns false if the system refuses one.
  package static func tryToStart(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(ThreadBody(body))
    let routine: Routine = { argument in
      ThreadBody.run(argument)
      return nil
    }
    guard let thread = create(routine, box.toOpaque()) else {
      box.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  /// Whether a number of threads can run concurrently; starts them and ends them at once.
  package static func canRun(_ count: Int) -> Bool {
    let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    defer { gate.deallocate() }
    pthread_mutex_init(gate, nil)
    defer { pthread_mutex_destroy(gate) }
    pthread_mutex_lock(gate)
    let threads = (0..<count).compactMap { _ in create(waiting, gate) }
    pthread_mutex_unlock(gate)
    for thread in threads { pthread_join(thread, nil) }
    return threads.count == count
  }

  private static let waiting: Routine = { argument in
    wait(at: argument)
    return nil
  }

  private static func wait(at gate: UnsafeMutableRawPointer?) {
    guard let gate = gate?.assumingMemoryBound(to: pthread_mutex_t.self) else { return }
    pthread_mutex_lock(gate)
    pthread_mutex_unlock(gate)
  }

  /// Returns the thread; nil if the system refuses one.
  private static func create(_ routine: Routine, _ argument: UnsafeMutableRawPointer) -> pthread_t? {
    #if canImport(Darwin)
      var thread: pthread_t?
      return pthread_create(&thread, nil, routine, argument) == 0 ? thread : nil
    #else
      var thread = pthread_t()
      return pthread_create(&thread, nil, routine, argument) == 0 ? thread : nil
    #endif
  }
}

/// A closure as an object, to pass it through C's single pointer.
private final class ThreadBody {
  private let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  static func run(_ pointer: UnsafeMutableRawPointer?) {
    if let pointer { Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue().body() }
  }
}
