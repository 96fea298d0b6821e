extension CollectionPath {
  /// The root collection that it is in.
  package var root: CollectionPath {
    var path = self
    while let parent = path.parent?.collection { path = parent }
    return path
  }
}
