// swift-format-ignore-file
// As the page has it, but for `App(...)`, and apart: a `FieldsOnlyDocument` has no name and no times to be read.
import FirestoreDocuments
import Foundation

@Lines func read(_ app: App) -> [String] {
  app.name
  app.createTime
  app.updateTime
  app.index // Int - equivalent to app.fields.index.integerValue
  app.identifier // String - equivalent to app.fields.identifier.stringValue
  app.iconURL // URL? - equivalent to app.fields.iconURL.urlValue
  app.allowsContactMessages // Bool - equivalent to app.fields.allowsContactMessages.booleanValue
}

func change(_ fields: AppFields) -> FieldsOnlyDocument<AppFields> {
  typealias App = FieldsOnlyDocument<AppFields>
  var app = App(fields: fields)
  app.index = 1 // equivalent to app.fields.index.integerValue = 1
  app.iconURL = URL(string: "https://res.cloudinary.com/voan/c_scale,w_288/apps/1324887522/icon.png")
  app.allowsContactMessages = true
  return app
}

/// Makes a line of each value, where a page says only what there is.
@resultBuilder enum Lines {
  static func buildExpression(_ value: some Any) -> String { "\(type(of: value)) \(value)" }
  static func buildBlock(_ lines: String...) -> [String] { lines }
}
