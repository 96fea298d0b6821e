import FirestoreModels
import GymServices
import Integrity
import MigrationEngine
import Mirror
import Runs
import Transfer

/// The jobs that records may hold.
enum JobKinds {
  private static let all: [any PerformableJob.Type] = [
    ImportJob.self, CopyJob.self, ExportJob.self, CheckJob.self, ApplyJob.self, PlanJob.self, UndoJob.self,
    FixJob.self, DeleteJob.self, ResetJob.self, PushJob.self, GroupsJob.self, SeriesJob.self,
    CancelSeriesJob.self, SetupJob.self, EmailJob.self,
  ]

  /// The job of a record, with where and how it is done.
  ///
  /// - Throws: ``WireError`` for a job of another version, or a damaged one.
  static func run(_ record: JobRecord) throws(WireError) -> JobRun {
    guard let type = all.first(where: { $0.kind.isIdentical(to: record.kind) }) else {
      throw WireError("there is no job of the kind '\(record.kind)'")
    }
    return JobRun(
      job: try type.read(record),
      connection: record.connection,
      source: record.source,
      write: record.write,
      output: record.output
    )
  }
}
