import Platform

extension Diagnosis {
  /// Checks this machine without changing it: environment variables that redirect requests, and the state directory.
  package mutating func checkMachine(variables: [String: String], stateDir: String) {
    check(stateDir: stateDir)
    if let host = variables["FIRESTORE_EMULATOR_HOST"], !host.isEmpty {
      warn(
        "emulator",
        "FIRESTORE_EMULATOR_HOST is set: environments without an endpoint of their own go to \(host)",
        remedy: "Unset it to reach the real service."
      )
    }
    checkProxies(variables)
    for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
      guard let file = variables[name], !file.isEmpty else { continue }
      if access(file, R_OK) == 0 {
        ok("certificates", "\(name) names \(file)")
      } else {
        fail(
          "certificates",
          "\(name) names \(file), which cannot be read: \(SystemCall.text(errno))",
          remedy: "Name an existing file, or unset it.",
          kind: .configuration
        )
      }
      break
    }
  }

  private mutating func check(stateDir: String) {
    do throws(Failure) {
      try ExportOutput.checkFolder(stateDir)
      ok("state", "\(stateDir) can be written")
    } catch {
      fail("state", error.advising("Choose another folder with --state-dir or GYMMIGRATE_STATE_DIR."))
    }
  }

  /// Reports the proxy variables that curl honors, without the user and password in their values.
  private mutating func checkProxies(_ variables: [String: String]) {
    let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    let proxies = names.compactMap { name in
      variables[name].flatMap { $0.isEmpty ? nil : "\(name) is \(Self.withoutUser($0))" }
    }
    if !proxies.isEmpty {
      let exceptions = ["no_proxy", "NO_PROXY"].compactMap { variables[$0] }.first { !$0.isEmpty }
      let except = exceptions.map { ", except to \($0)" } ?? ""
      ok("proxy", "requests go through a proxy: \(proxies.joined(separator: ", "))\(except)")
    }
    for name in ["http_proxy", "HTTP_PROXY"] where variables[name].map({ !$0.isEmpty }) ?? false {
      warn(
        "proxy",
        "\(name) is not used: plain HTTP never goes through a proxy, which would see its tokens",
        remedy: "Set https_proxy for HTTPS."
      )
    }
  }

  /// Returns a proxy's URL without anything before the last `@`.
  static func withoutUser(_ url: String) -> String {
    guard let at = url.utf8.lastIndex(of: UInt8(ascii: "@")) else { return url }
    let rest = url[url.utf8.index(after: at)...]
    guard let scheme = url.firstRange(of: "://"), scheme.lowerBound < at else { return String(rest) }
    return String(url[..<scheme.upperBound] + rest)
  }
}
