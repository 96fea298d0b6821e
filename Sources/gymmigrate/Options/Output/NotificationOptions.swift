import Configuration

/// Options for who is notified of the run.
struct NotificationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Ask for this address at the end, with /start at the start, and with the exit code where that is not 0.",
      valueName: "url"
    ),
    transform: Self.address
  )
  var notifyPing: NotificationAddress?

  @Option(
    help: ArgumentHelp("Send the summary to this address, without names of documents.", valueName: "url"),
    transform: Self.address
  )
  var notifyWebhook: NotificationAddress?

  @Option(localFile: "Put the numbers of the run into this file for Prometheus.")
  var metricsTextfile: String?

  var targets: NotificationTargets {
    var targets = NotificationTargets()
    (targets.ping, targets.webhook, targets.metrics) = (notifyPing, notifyWebhook, metricsTextfile)
    return targets
  }

  private static func address(_ text: String) throws -> NotificationAddress {
    try NotificationAddress(text).orExpecting(NotificationAddress.expectation)
  }
}
