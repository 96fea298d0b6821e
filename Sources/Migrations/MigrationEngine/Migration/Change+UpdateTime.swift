package import Schema

extension RawDocument {
  /// Returns a change that edits fields and, if the collection declares an update time set by the server, has the service set it.
  ///
  /// - Parameter collection: The schema of the document's collection; nil if undeclared.
  package func changing(_ edit: FieldEdit, of collection: CollectionSchema?, reasons: [String]) -> Change {
    guard let updateTime = collection?.serverUpdateTime else {
      return Change(of: self, edit, reasons: reasons)
    }
    var edit = edit
    edit.set(updateTime.segments[0], to: nil)
    return Change(of: self, edit, serverTimes: [updateTime], reasons: reasons)
  }
}
