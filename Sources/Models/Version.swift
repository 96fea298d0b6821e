/// The version that `--version`, manifests and the user agent tell.
public let gymmigrateVersion = "0.1.0"
