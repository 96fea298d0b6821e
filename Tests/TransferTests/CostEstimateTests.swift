import FirestoreModels
import Testing
import TypedDocuments

@testable import Configuration
@testable import Runs

@Suite("Cost")
struct CostEstimateTests {
  @Test("The price is computed per 100,000 documents")
  func dollars() {
    let cost = Cost(reads: 1_000_000, writes: 200_000, deletes: 50_000)
    // 10 · 0.06 + 2 · 0.18 + 0.5 · 0.02
    #expect(abs(CostEstimate(cost, at: .nam5).dollars - 0.97) < 1e-9)
    let prices = PriceList(reads: 1, writes: 2, deletes: 4, name: "x")
    #expect(CostEstimate(cost, at: prices).dollars == 16)
    #expect(CostEstimate(cost + Cost(deletes: 50_000), at: prices).dollars == 18)
  }

  @Test(
    "A sum is rounded so that it stays the bound that it is said to be.",
    arguments: [
      (820, false, "820 reads, 0 writes, 0 deletes: at most 0.01 USD (x)", 0.0005),
      (820, true, "at least 820 reads: less than 0.01 USD for these (x)", 0.0004),
      (30_000, false, "30,000 reads, 0 writes, 0 deletes: at most 0.02 USD (x)", 0.018),
      (30_000, true, "at least 30,000 reads: at least 0.01 USD (x)", 0.018),
      (0, false, "0 reads, 0 writes, 0 deletes: at most nothing (x)", 0),
      (0, true, "at least 0 reads: less than 0.01 USD for these (x)", 0),
    ]
  )
  func bounds(_ reads: Int, _ isMinimum: Bool, _ text: String, _ dollars: Double) {
    let prices = PriceList(reads: 0.06, writes: 0.18, deletes: 0.02, name: "x")
    let estimate = CostEstimate(Cost(reads: reads), at: prices, isMinimum: isMinimum)
    #expect(estimate.text == text)
    let json = String(decoding: JSONWriter.object { $0.member("cost", record: estimate) }, as: UTF8.self)
    #expect(json.contains("\"usd\":\(dollars == 0 ? "0" : "\(dollars)")"), "\(json)")
  }

  @Test(
    "List prices are those of the Standard edition; of the Enterprise edition they are those of a unit each, and more is possible."
  )
  func editions() throws {
    let cost = Cost(reads: 1_000_000, writes: 200_000)
    for edition in [nil, "STANDARD", "DATABASE_EDITION_UNSPECIFIED"] {
      #expect(PriceList.nam5.of(edition: edition) == .nam5)
    }
    let units = CostEstimate(cost, at: PriceList.nam5.of(edition: "ENTERPRISE"))
    // 0.05 USD for a million reads, 0.26 for a million writes.
    #expect(
      units.text.hasPrefix(
        "1,000,000 reads, 200,000 writes, 0 deletes: from 0.11 USD (list prices of the Enterprise"
      )
    )
    #expect(units.text.contains("filters without an index cost more"))
    let json = String(decoding: JSONWriter.object { $0.member("cost", record: units) }, as: UTF8.self)
    #expect(json.contains(#""usd":0.102"#) && json.contains(#""atLeast":true"#), "\(json)")
    // What a configuration says holds.
    let prices = PriceList(reads: 1, writes: 2, deletes: 4, name: "x")
    #expect(prices.of(edition: "ENTERPRISE") == prices)
  }

  @Test(
    "A count costs one read per 1,000 documents or part of them; a query costs at least one",
    arguments: [(0, 1, 1), (1, 1, 1), (1000, 1, 1000), (1001, 2, 1001)]
  )
  func reads(documents: Int, counting: Int, giving: Int) {
    #expect(Cost.reads(ofCounting: documents) == counting)
    #expect(Cost.reads(ofQueryGiving: documents) == giving)
  }

  @Test("A configuration has its prices, or those of nam5")
  func prices() throws {
    let environments = "environments:\n  a: { project: p }\n"
    #expect(try Configuration(parsing: environments, file: "g.yaml").prices == .nam5)
    let text = "prices: { writes: 0.09, reads: 0.03, deletes: 0 }\n" + environments
    let expected = PriceList(reads: 0.03, writes: 0.09, deletes: 0, name: "prices of g.yaml")
    #expect(try Configuration(parsing: text, file: "g.yaml").prices == expected)
  }

  // Lines and columns, counted manually from 1.
  @Test(
    "An error in a price list is reported with its line and column",
    arguments: [
      (
        "prices: { reads: 1, writes: 2 }",
        "line 1, column 9: 'prices' must have all of reads, writes, deletes"
      ),
      ("prices: { reads: -1, writes: 2, deletes: 3 }", "line 1, column 18: 'reads' must be US dollars"),
      ("prices: { reads: 1e3, writes: 2, deletes: 3 }", "line 1, column 18: "),
      ("prices: { reads: 0x1, writes: 2, deletes: 3 }", "line 1, column 18: "),
      ("prices: { reads: nan, writes: 2, deletes: 3 }", "line 1, column 18: "),
      ("prices: { reads: 1.2.3, writes: 2, deletes: 3 }", "line 1, column 18: "),
      ("prices: { reads: [], writes: 2, deletes: 3 }", "line 1, column 18: "),
      ("prices:\n  reads: 9999999", "line 2, column 10: "),
      ("prices:\n  writing: 1", "line 2, column 3: 'prices' has no 'writing'"),
      ("prices: 7", "line 1, column 9: 'prices' must be a map"),
    ]
  )
  func places(text: String, cause: String) {
    do throws(Failure) {
      _ = try Configuration(parsing: text + "\nenvironments:\n  a: { project: p }\n", file: "g.yaml")
      Issue.record("it was taken")
    } catch {
      #expect(error.kind == .configuration && error.cause.hasPrefix(cause), "\(error.cause)")
    }
  }
}
