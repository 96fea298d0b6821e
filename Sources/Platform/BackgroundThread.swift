/// Threads outside the cooperative pool, for blocking work.
package enum BackgroundThread {
  /// Runs `body` on a new thread.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    #if canImport(Glibc)
      var thread = pthread_t()
    #else
      var thread: pthread_t?
    #endif
    let code = pthread_create(
      &thread,
      nil,
      { argument in
        ThreadBody.run(argument)
        return nil
      },
      Unmanaged.passRetained(ThreadBody(body)).toOpaque()
    )
    if code != 0 { preconditionFailure("cannot start a thread (error \(code))") }
    detach(thread)
  }

  /// Takes an optional, because the type of a thread is one in some libraries.
  private static func detach(_ thread: pthread_t?) {
    if let thread { pthread_detach(thread) }
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
