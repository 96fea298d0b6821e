import Platform

/// Threads outside the cooperative pool, for blocking work.
package enum BackgroundThread {
  /// Runs `body` on a new thread.
  package static func start(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(ThreadBody(body))
    #if canImport(Glibc)
      var thread: pthread_t = 0
      let code = pthread_create(
        &thread,
        nil,
        { argument in
          if let argument { Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run() }
          return nil
        },
        box.toOpaque()
      )
      if code != 0 { preconditionFailure("cannot start a thread (error \(code))") }
      pthread_detach(thread)
    #else
      var thread: pthread_t?
      let code = pthread_create(
        &thread,
        nil,
        { argument in
          Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
          return nil
        },
        box.toOpaque()
      )
      guard code == 0, let thread else { preconditionFailure("cannot start a thread (error \(code))") }
      pthread_detach(thread)
    #endif
  }
}

/// A closure as an object, to pass it through C's single pointer.
private final class ThreadBody {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}
