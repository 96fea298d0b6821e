/// Responses of the service, as `documents.list` and `documents.get` send them.
enum Responses {
  static let list = """
    {
      "documents": [
        {
          "createTime": "2019-11-26T09:13:39.969797Z",
          "fields": {
            "allowsContactMessages": { "booleanValue": false },
            "iconURL": { "stringValue": "https://example.org/icons/3155001.png" },
            "identifier": { "stringValue": "3155001" },
            "index": { "integerValue": "4" },
            "displayName": { "stringValue": "Lantern Atlas" }
          },
          "name": "projects/orchard-5f21/databases/(default)/documents/apps/3155001",
          "updateTime": "2019-11-27T06:11:57.268984Z"
        },
        {
          "createTime": "2019-11-23T06:29:31.328113Z",
          "fields": {
            "allowsContactMessages": { "booleanValue": true },
            "identifier": { "stringValue": "3155002" },
            "index": { "integerValue": "1" },
            "displayName": { "stringValue": "Tide Almanac" }
          },
          "name": "projects/orchard-5f21/databases/(default)/documents/apps/3155002",
          "updateTime": "2019-11-27T06:11:40.956015Z"
        }
      ]
    }
    """

  static let document = """
    {
      "name": "projects/orchard-5f21/databases/(default)/documents/apps/3155003",
      "fields": {
        "allowsContactMessages": { "booleanValue": true },
        "identifier": { "stringValue": "3155003" },
        "index": { "integerValue": "2" },
        "displayName": { "stringValue": "Moss Ledger" },
        "releasedAt": { "timestampValue": "2026-01-02T03:04:05.123456789Z" }
      },
      "createTime": "2026-01-02T03:04:05.000001Z",
      "updateTime": "2026-01-02T03:04:06.000002Z"
    }
    """

  /// The second document's index is a string.
  static let damagedList = """
    {
      "documents": [
        \(document),
        {
          "name": "projects/orchard-5f21/databases/(default)/documents/apps/3155004",
          "fields": {
            "allowsContactMessages": { "booleanValue": true },
            "identifier": { "stringValue": "3155004" },
            "index": { "stringValue": "two" },
            "displayName": { "stringValue": "Ember Notes" }
          },
          "createTime": "2026-01-02T03:04:05.000001Z",
          "updateTime": "2026-01-02T03:04:06.000002Z"
        }
      ]
    }
    """

  static let error = """
    {
      "error": {
        "code": 404,
        "message": "Document not found.",
        "status": "NOT_FOUND"
      }
    }
    """
}
