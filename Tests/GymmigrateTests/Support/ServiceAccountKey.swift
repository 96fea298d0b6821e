import Foundation
import TestSupport
import Testing

/// A service account that nobody has, with a key made for one test.
struct ServiceAccountKey {
  let email = "mover@test-project.iam.gserviceaccount.com"
  let file: String
  let publicKeyFile: String

  init(in tool: Tool, tokenURI: String) async throws {
    file = tool.path("key.json")
    publicKeyFile = tool.path("key.pub")
    try await Judge.script(
      """
      import json, subprocess, sys
      file, public, uri, email = sys.argv[1:]
      run = lambda *arguments, **options: subprocess.run(
          ["openssl", *arguments], check=True, capture_output=True, **options).stdout
      key = run("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")
      open(public, "wb").write(run("pkey", "-pubout", input=key))
      json.dump({"type": "service_account", "project_id": "test-project", "private_key_id": "k1",
                 "private_key": key.decode(), "client_email": email, "token_uri": uri}, open(file, "w"))
      """,
      file,
      publicKeyFile,
      tokenURI,
      email
    )
  }
}
