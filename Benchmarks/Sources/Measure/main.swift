import CReference
import FirestoreModels
import FirestoreREST
import GymModels
import Platform
import Tables

// measure FILE [ROUNDS] [decode|encode|csv|managed]: FILE is JSON Lines of documents of about 1 kB.
// measure FILE count WORK TIMES: does some work so often, for a tool that counts instructions.
let arguments = CommandLine.arguments
guard arguments.count >= 2, let page = Page(file: arguments[1], count: 300), page.count > 0 else {
  print("usage: Measure FILE.jsonl [ROUNDS] [decode|encode|csv|managed]")
  exit(64)
}
if arguments.count == 5, arguments[2] == "count", let work = Counted(rawValue: arguments[3]),
  let times = Int(arguments[4])
{
  do {
    try work.run(page, file: arguments[1], times: times)
    exit(0)
  } catch {
    print("\(error)")
    exit(70)
  }
}
let rounds = arguments.count > 2 ? Int(arguments[2]) ?? 200 : 200
let only = arguments.count > 3 ? arguments[3] : nil
let bench = Bench(page: page, rounds: rounds)
do {
  try bench.checkSameness()
  if only == nil || only == "decode" { bench.decode() }
  if only == nil || only == "encode" { bench.encode() }
  if only == nil || only == "csv" { try bench.csv() }
  if only == nil || only == "managed" { try bench.managed() }
} catch {
  print("\(error)")
  exit(70)
}
