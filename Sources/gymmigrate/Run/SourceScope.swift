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
      // A file is less than the export that its manifest describes.
      var scope = wanted.cut(to: places.first.flatMap { $0.isFolder ? $0.manifest : nil })
      if places.contains(where: \.isMasked) { scope.isMasked = true }
      return scope
    }
    guard let file = environment.mirror else { return wanted }
    // A mirror that pulled only changes may lack kinds of collections below its documents.
    var scope = wanted
    scope.isPartial = true
    if try MirrorInfo(MirrorFile(file, for: .reading)).mask != nil { scope.isMasked = true }
    return scope
  }
}
