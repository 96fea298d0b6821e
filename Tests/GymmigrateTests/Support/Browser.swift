import Foundation
import TestSupport
import Testing

/// A Chromium without a screen, which judges pages where there is one.
enum Browser {
  /// `GYMMIGRATE_CHROMIUM`, else the first of the usual names in PATH; nil where there is none.
  static let executable: String? = {
    let variables = ProcessInfo.processInfo.environment
    if let named = variables["GYMMIGRATE_CHROMIUM"] { return named.isEmpty ? nil : named }
    let names = ["chromium-headless-shell", "chromium", "google-chrome-stable", "google-chrome"]
    let paths = (variables["PATH"] ?? "").split(separator: ":").flatMap { folder in
      names.map { "\(folder)/\($0)" }
    }
    let mac = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"]
    // One in a snap sees no temporary files.
    return (paths + mac).first { path in
      !path.hasPrefix("/snap/") && FileManager.default.isExecutableFile(atPath: path)
    }
  }()

  static let isThere = executable != nil

  /// The page unchanged once its script has run.
  ///
  /// - Parameter fragment: What stands behind `#`, encoded.
  static func page(_ path: String, fragment: String = "", in folder: URL) async throws -> Page {
    let url = URL(fileURLWithPath: path).absoluteString + (fragment.isEmpty ? "" : "#\(fragment)")
    return try await page(at: url, in: folder)
  }

  /// The page at a URL unchanged once its script has run.
  ///
  /// - Parameter options: Further options of the browser.
  static func page(at url: String, options: [String] = [], in folder: URL) async throws -> Page {
    let profile = folder.appendingPathComponent("browser").path
    let usual = ["--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(profile)", "--dump-dom"]
    let result = try await Gate.shared.pass {
      try await BinaryRunner(executable: executable).run(
        usual + options + [url],
        directory: folder,
        timeout: .seconds(1800)
      )
    }
    try #require(result.exitCode == 0, "\(result.errors.suffix(2000))")
    return Page(dom: result.output)
  }

  struct Page {
    let dom: String

    /// The opening tags that hold a text.
    func tags(_ text: String) -> [String] {
      dom.matches(of: /<[a-z][^>]*>/).map { String($0.output) }.filter { $0.contains(text) }
    }

    /// How many items of a kind are there, and how many of them are seen.
    func items(_ text: String) -> (all: Int, shown: Int) {
      let tags = tags("data-item").filter { $0.contains(text) }
      return (tags.count, tags.count { !$0.contains("hidden") })
    }

    /// What a list says of a search.
    func matches(_ list: String) -> String? {
      dom.firstRange(of: "<span id=\"\(list)-matches\" role=\"status\">").map { found in
        String(dom[found.upperBound...].prefix { $0 != "<" })
      }
    }
  }
}
