import Configuration
import Mirror
import Transfer

extension EnvironmentResolver {
  /// Returns the scope that an export can claim: if it reads files or a mirror, it has no more than these, and is
  /// masked if they are.
  func scope(_ wanted: Manifest.Scope, of environment: DatabaseEnvironment) throws(Failure) -> Manifest.Scope
  {
    if let paths = environment.snapshot {
      var reader = PlaceReader(try StorageAccess(for: paths, options).files)
      var places: [DocumentPlace] = []
      for path in paths { places.append(try reader.place(at: path)) }
      var scope = wanted.cut(to: places[0])
      // What changed without a time of last change is as the whole export had it.
      if places.count > 1 { (scope.isPartial, scope.hasWholeDocuments) = (true, false) }
      return scope
    }
    guard let file = environment.mirror else { return wanted }
    // A mirror that pulled only changes may lack kinds of collections below its documents.
    var scope = wanted
    let info = try MirrorInfo(MirrorFile(file, for: .reading))
    (scope.isPartial, scope.hasWholeDocuments) = (true, !info.mayLackFields)
    if info.mask != nil { scope.isMasked = true }
    return scope
  }
}
