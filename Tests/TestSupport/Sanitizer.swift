import Foundation
import Glibc

/// What the tests know of the sanitizer that they were built with, if any; see `scripts/check-sanitizers.sh`.
package enum Sanitizer {
  /// Whether the tests, and so the program beside them, are built with the address or the thread sanitizer.
  ///
  /// Both multiply memory and time, which a test that measures one of them has to know.
  package static let isOn = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

  /// The variables of this process that steer a sanitizer; a program that is started needs them too.
  package static var variables: [String: String] {
    ProcessInfo.processInfo.environment.filter {
      ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"].contains($0.key)
    }
  }
}
