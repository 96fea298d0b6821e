import Configuration
import FirestoreModels
import Logging
import RunSupport
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("Read time", .timeLimit(.minutes(60)))
struct ReadTimeTests {
  private func pin(
    _ rules: [FaultRule],
    budget: Double = 300
  ) async throws -> Timestamp? {
    let faults = ScriptedFaults(MiniFirestore().handler, rules: rules, maximumConsecutive: .max)
    return try await Fixture.with(faults.handler, budget: budget) { fixture in
      var environment = DatabaseEnvironment(name: "x", database: testDatabase)
      environment.endpoint = fixture.server.url
      return try await fixture.client.readTime(
        .pinned,
        of: environment,
        .silent
      )
    }
  }

  @Test("An outage at the beginning does not make a run give up its one moment")
  func outage() async throws {
    let outage = (0..<8).map { FaultRule([.batchGet], .number($0), .error(.unavailable)) }
    #expect(try await pin(outage) != nil)
  }

  @Test("A server without the method shows no time; one that refuses, or cannot be reached, is an error")
  func noTime() async throws {
    #expect(try await pin([FaultRule([.batchGet], .always, .error(.unimplemented("x")))]) == nil)
    #expect(try await pin([FaultRule([.batchGet], .always, .html(404))]) == nil)
    for (refusal, kind) in [
      (ServiceError.permissionDenied, Failure.Kind.notPermitted), (.notFound("x"), .configuration),
      (.unavailable, .unavailable),
    ] {
      let error = await failure {
        try await pin([FaultRule([.batchGet], .always, .error(refusal))], budget: 20)
      }
      #expect(error?.kind == kind, "\(refusal)")
    }
    let refused = ServiceError.invalidArgument("readTime")
    #expect(try await pin([FaultRule([.list], .always, .error(refused))]) != nil)
    #expect(try await pin([FaultRule([.list, .runQuery], .always, .error(refused))]) == nil)
  }

  @Test(
    "Only what says so is an old read time",
    arguments: [
      (FirestoreError(.failedPrecondition, "The requested snapshot version is too old."), true),
      (FirestoreError(.failedPrecondition, "The requested read_time is too old."), true),
      (FirestoreError(.invalidArgument, "read_time is before the earliest version_time"), true),
      (FirestoreError(.invalidArgument, "The requested read_time is in the future."), false),
      (
        FirestoreError(.failedPrecondition, "The query requires an index. You can create it here: https://x"),
        false
      ),
      (FirestoreError(.invalidArgument, "Cannot have inequality filters on multiple properties"), false),
      (FirestoreError(.failedPrecondition, "not available for Firestore in Datastore Mode database"), false),
      (FirestoreError(.permissionDenied, "the read_time is too old"), false),
    ]
  )
  func oldReadTime(_ error: FirestoreError, isOld: Bool) throws {
    #expect(error.refusesOldReadTime == isOld)
    let failure = CallFailure.service(error).asFailure(operation: "read", path: nil, of: .runQuery)
    let explained = failure.explainingClosedWindow(since: moment(1), remedy: "Export fewer")
    #expect((explained.kind == .unavailable) == isOld)
    #expect(explained.cause.contains("no longer readable") == isOld)
  }
}
