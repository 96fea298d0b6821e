import Schema
import Testing

@Suite struct StorageURLTests {
  @Test(
    "A bucket is read from every form, and replaced in its place.",
    arguments: [
      ("gs://shop_test/a/b.jpg", "shop_test", "gs://other/a/b.jpg"),
      ("GS://shop_test", "shop_test", "GS://other"),
      (
        "https://firebasestorage.googleapis.com/v0/b/shop-7f3a.appspot.com/o/a%2Fb.jpg?alt=media&token=1",
        "shop-7f3a.appspot.com",
        "https://firebasestorage.googleapis.com/v0/b/other/o/a%2Fb.jpg?alt=media&token=1"
      ),
      (
        "HTTPS://FirebaseStorage.googleapis.com/v0/b/shop%5Ftest/o/a", "shop_test",
        "HTTPS://FirebaseStorage.googleapis.com/v0/b/other/o/a"
      ),
      ("http://storage.googleapis.com/shop_test/a", "shop_test", "http://storage.googleapis.com/other/a"),
      (
        "https://storage.cloud.google.com/shop_test/a", "shop_test",
        "https://storage.cloud.google.com/other/a"
      ),
      ("https://shop-test.storage.googleapis.com/a", "shop-test", "https://other.storage.googleapis.com/a"),
      ("https://Shop-Test.Storage.googleapis.com/a", "shop-test", "https://other.Storage.googleapis.com/a"),
    ]
  )
  func forms(_ text: String, _ bucket: String, _ replaced: String) throws {
    let url = try #require(StorageURL(text))
    #expect(url.bucket == bucket)
    #expect(url.text(inBucket: "other") == replaced)
    // What was replaced is read again.
    #expect(StorageURL(replaced)?.bucket == "other")
  }

  @Test(
    "Other texts are no such URLs.",
    arguments: [
      "", "gs:", "gs://", "gs:///a", "gs:/shop_test/a", "gs://Shop_test/a", "gs://ab/a", "shop_test/a",
      "https://firebasestorage.googleapis.com/v0/b/shop_test",
      "https://firebasestorage.googleapis.com/v1/b/shop_test/o/a",
      "https://firebasestorage.googleapis.com/v0/b//o/a", "https://storage.googleapis.com/",
      "https://storage.googleapis.com",
      "https://.storage.googleapis.com/a", "https://storage.googleapis.com.example/shop_test/a",
      "ftp://storage.googleapis.com/shop_test/a",
      "https://example.com/shop_test/a", "https://storage.googleapis.com/shop%ZZtest/a",
      "https://storage.googleapis.com/shop%5/a",
      "https://evilstorage.googleapis.com/shop_test/a", " gs://shop_test/a",
    ]
  )
  func others(_ text: String) {
    #expect(StorageURL(text) == nil)
  }

  @Test("Only the bucket of another environment is foreign, and a name as a whole.")
  func foreign() {
    let buckets = StorageBuckets(
      own: "shop_test",
      others: [("test", "shop_test"), ("stage", "shop_stage"), ("prod", "shop_prod")]
    )
    #expect(buckets.foreignEnvironment(of: "gs://shop_prod/a") == "prod")
    #expect(buckets.foreignEnvironment(of: "gs://shop_stage/a") == "stage")
    #expect(buckets.foreignEnvironment(of: "gs://shop_test/a") == nil)
    #expect(buckets.foreignEnvironment(of: "gs://shop_prod2/a") == nil)
    #expect(buckets.foreignEnvironment(of: "shop_prod") == nil)
  }
}
