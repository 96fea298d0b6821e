import Configuration
import Transfer

extension EnvironmentResolver {
  /// Returns the prices of operations in the environment, as configured.
  func prices() throws(Failure) -> PriceList { try configuration().prices(of: environment()) }

  /// Limits the bill by options, and by the configured limits per run and per day.
  ///
  /// - Parameter caller: Asks the service for its edition and location if a price depends on them; nil for no service.
  /// - Throws: `.configuration` for a limit in dollars if an operation has no price.
  func limit(_ account: Account, in environment: DatabaseEnvironment, by caller: ServiceCaller?) async throws
  {
    let bound = options.bound ?? BillBound()
    let limits = environment.limits ?? BillLimits()
    let isPriced = [bound, limits.run, limits.day].contains { $0.dollars != nil }
    let configuration = try configuration()
    var prices = configuration.prices(of: environment)
    if isPriced, let caller {
      let (database, endpoint) = (environment.database, environment.effectiveEndpoint)
      prices = await FirestoreClient(database: database, endpoint: endpoint, caller: caller).prices(prices)
    }
    if isPriced { try assertKnown(prices, in: environment) }
    account.limit(to: bound, at: prices, of: Invocation.current.bound)
    let place =
      "of \(configuration.names(of: environment, isEmulator: false)) in \(configuration.file ?? "gymmigrate.yaml")"
    account.limit(to: limits.run, at: prices, by: "'limits' \(place)")
    if limits.day.isNone { return }
    let ledger = CostLedger(in: options.stateDir)
    let (used, skipped) = try ledger.billed(since: .startOfDay, of: environment)
    if let warning = ledger.warning(ofSkipped: skipped) { Terminal.standardError.line("warning: \(warning)") }
    let billed = account.billed
    // The limit applies to the entire run, including what was billed before it was resumed.
    let day = limits.day.left(after: used, at: prices).raised(by: billed.known + billed.uncertain, at: prices)
    account.limit(to: day, at: prices, by: "'limits: day' \(place)", after: used)
  }

  private func assertKnown(_ prices: PriceList, in environment: DatabaseEnvironment) throws(Failure) {
    if prices.isExact { return }
    throw Failure(
      .configuration,
      "bound the cost of",
      path: environment.name,
      cause: "what an operation costs is not known for the Enterprise edition, which bills units of bytes",
      remedy: "Bound reads and writes, or give 'prices' of the environment in gymmigrate.yaml."
    )
  }
}

extension Timestamp {
  /// The beginning of the current day in UTC.
  fileprivate static var startOfDay: Timestamp {
    let now = Timestamp.now
    return Timestamp(seconds: now.seconds - now.seconds % 86_400) ?? now
  }
}
