// swift-format-ignore-file
// As the page has it.
public let response = """
  {
    "documents": [
      {
        "createTime": "2019-11-26T09:13:39.969797Z",
        "fields": {
          "allowsContactMessages": { "booleanValue": false },
          "iconURL": { "stringValue": "https://res.cloudinary.com/voan/c_scale,w_288/apps/1324887522/icon.png" },
          "identifier": { "stringValue": "1324887522" },
          "index": { "integerValue": "4" },
          "displayName": { "stringValue": "GloryGuide" }
        },
        "name": "projects/xwift27/databases/(default)/documents/apps/1324887522",
        "updateTime": "2019-11-27T06:11:57.268984Z"
      },
      {
        "createTime": "2019-11-23T06:29:31.328113Z",
        "fields": {
          "allowsContactMessages": { "booleanValue": true },
          "identifier": { "stringValue": "1324889421" },
          "index": { "integerValue": "1" },
          "displayName": { "stringValue": "Chuon Nath Dictionary" }
        },
        "name": "projects/xwift27/databases/(default)/documents/apps/1324889421",
        "updateTime": "2019-11-27T06:11:40.956015Z"
      }
    ]
  }
  """
