import Files

/// The style and the script of a plan's page, from `plan-page.css` and `plan-page.js`; a page loads nothing else.
enum PlanPageAssets {
  static let style = String(decoding: PackageResources.plan_page_css, as: UTF8.self)
  static let script = String(decoding: PackageResources.plan_page_js, as: UTF8.self)

  /// Returns everything up to the start of the body.
  static func head(_ title: Markup, hasScript: Bool) throws(Failure) -> Markup {
    let style = try SHA256Digest.base64(of: style)
    let script: Markup = hasScript ? "script-src 'sha256-\(try SHA256Digest.base64(of: script))'; " : ""
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-\(style)'; \
      \(script)base-uri 'none'; form-action 'none'">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <title>\(title)</title>
      <style>\(source: Self.style)</style>
      </head>
      <body>

      """
  }
}
