/// The version reported by `--version`, manifests and the user agent.
package let gymmigrateVersion = "0.1.0"
