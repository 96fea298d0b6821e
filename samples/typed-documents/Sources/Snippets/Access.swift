// swift-format-ignore-file
// As the page has it.
import FirestoreDocuments
import Foundation

func read(_ app: App) -> [String] {
  [
    app.name,
    "\(app.createTime)",
    "\(app.updateTime)",
    "\(app.index)", // Int - equivalent to app.fields.index.integerValue
    app.identifier, // String - equivalent to app.fields.identifier.stringValue
    "\(app.iconURL as URL?)", // URL? - equivalent to app.fields.iconURL.urlValue
    "\(app.allowsContactMessages)", // Bool - equivalent to app.fields.allowsContactMessages.booleanValue
  ]
}

func change(_ app: inout FieldsOnlyDocument<AppFields>) {
  app.index = 1 // equivalent to app.fields.index.integerValue = 1
  app.iconURL = URL(string: "https://res.cloudinary.com/voan/c_scale,w_288/apps/1324887522/icon.png")
  app.allowsContactMessages = true
}
