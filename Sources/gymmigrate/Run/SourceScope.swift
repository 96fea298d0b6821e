import Configuration
import Mirror
import Transfer

extension EnvironmentResolver {
  /// Returns the scope that an export can claim: if it reads files or a mirror, it has no more than these.
  func scope(_ wanted: Manifest.Scope, of environment: DatabaseEnvironment) throws(Failure) -> Manifest.Scope
  {
    if let paths = environment.snapshot, let first = paths.first {
      let files = try StorageAccess(for: paths, options).files
      let source = try files.isFolder(first) ? Manifest.read(from: first, via: files) : nil
      return wanted.cut(to: source)
    }
    guard let file = environment.mirror else { return wanted }
    // A mirror that pulled only changes may lack kinds of collections below its documents.
    var scope = wanted
    scope.isPartial = true
    if try MirrorInfo(MirrorFile(file, for: .reading)).mask != nil { scope.isMasked = true }
    return scope
  }
}
