/// The style and the script of a plan's page, as they are in `plan-page.css` and `plan-page.js`; nothing else is loaded,
/// from anywhere.
enum PlanPageAssets {
  static let style = String(decoding: PackageResources.plan_page_css, as: UTF8.self)
  static let script = String(decoding: PackageResources.plan_page_js, as: UTF8.self)
}
