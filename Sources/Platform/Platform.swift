// The system's C library under one name, so that no other file asks which one it is.

#if canImport(Glibc)
  @_exported public import Glibc
#elseif canImport(Musl)
  @_exported public import Musl
#elseif canImport(Darwin)
  @_exported public import Darwin
#endif

/// Constants that the C libraries import with different types, or do not have.
package enum SystemConstant {
  #if canImport(Glibc)
    /// The flag of `send` that makes a closed connection an error instead of a signal; 0 where it is missing.
    package static var noSignal: Int32 { Int32(MSG_NOSIGNAL) }
    /// The type of a stream socket, which is not inherited where the system can create it like that.
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
