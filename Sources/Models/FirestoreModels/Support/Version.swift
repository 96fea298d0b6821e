/// The version that `--version`, manifests and the user agent tell.
package let gymmigrateVersion = "0.1.0"
