// Re-exports the system's C library under one name, so that no other file needs to know which one it is.

#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#elseif canImport(Darwin)
  @_exported public import Darwin
#endif

/// Constants that the C libraries import with different types, or lack.
package enum SystemConstant {
  #if canImport(Glibc)
    /// The flag of `send` that turns a closed connection into an error instead of a signal; 0 if the system lacks it.
    package static var noSignal: Int32 { Int32(MSG_NOSIGNAL) }
    /// The type of a stream socket, which child processes do not inherit if the system supports that.
    package static var streamSocket: Int32 { Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) }
    /// The resource of `getrlimit` for open files.
    package static var openFiles: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    /// The resource of `getrlimit` for the address space.
    package static var addressSpace: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_AS.rawValue) }
  #else
    package static var noSignal: Int32 { 0 }
    package static var streamSocket: Int32 { SOCK_STREAM }
    package static var openFiles: Int32 { RLIMIT_NOFILE }
    package static var addressSpace: Int32 { RLIMIT_AS }
  #endif
}
