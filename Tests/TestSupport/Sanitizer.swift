import Foundation
import Glibc

/// The sanitizer that the tests were built with, if any; see `scripts/check-sanitizers.sh`.
package enum Sanitizer {
  /// Whether the tests, and so the program beside them, are built with the address or the thread sanitizer.
  ///
  /// Both multiply memory and time, which a test that measures one of them has to know.
  package static let isOn = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

  /// The variables of this process that configure a sanitizer, which started programs need too.
  package static var variables: [String: String] {
    ProcessInfo.processInfo.environment.filter {
      ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key)
    }
  }
}
