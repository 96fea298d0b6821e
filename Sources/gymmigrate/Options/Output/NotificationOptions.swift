import Configuration

/// Options for who is notified of the run.
struct NotificationOptions: ParsableArguments {
  @Option(
    help:
      "Ask for this address at the end, with /start at the start, and with the exit code where that is not 0.",
    as: TypedValue.notificationAddress
  )
  var notifyPing: NotificationAddress?

  @Option(
    help: "Send the summary to this address, without names of documents.",
    as: TypedValue.notificationAddress
  )
  var notifyWebhook: NotificationAddress?

  @Option(localFile: "Put the numbers of the run into this file for Prometheus.")
  var metricsTextfile: String?

  var targets: NotificationTargets {
    var targets = NotificationTargets()
    (targets.ping, targets.webhook, targets.metrics) = (notifyPing, notifyWebhook, metricsTextfile)
    return targets
  }
}
