package import Schema

extension RawDocument {
  /// The change that edits fields and has the service set the update time of the collection, where it has one.
  ///
  /// - Parameter collection: The schema of the document's collection; nil for one that is not declared.
  package func changing(_ edit: FieldEdit, of collection: CollectionSchema?, reasons: [String]) -> Change {
    guard let updateTime = collection?.serverUpdateTime else {
      return Change(of: self, edit, reasons: reasons)
    }
    var edit = edit
    edit.set(updateTime.segments[0], to: nil)
    return Change(of: self, edit, serverTimes: [updateTime], reasons: reasons)
  }
}
