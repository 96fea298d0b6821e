// Tells the thread sanitizer about a continuation that is resumed before its task waits for it.
//
// The concurrency runtime says what it knows: it releases the task where a continuation is resumed, and acquires it where
// a task is taken from a queue. But where the resumption comes first, the task goes on at once, with no queue between
// (swift_continuation_await, the state Resumed), and nothing is said: whatever was handed over is reported as a race.
// Linked into the tests, this definition comes before the runtime's; it says so and calls that.
//
// Twenty lines show it without a line of ours: a thread fills an array and resumes with it, while the task that reads
// the array sleeps in the body of withCheckedContinuation.
//
// Source: Swift's stdlib/public/Concurrency/Task.cpp.
#define _GNU_SOURCE
#include <dlfcn.h>

void __tsan_acquire(void *address);

#define SWIFT __attribute__((swiftcall))
#define SWIFT_ASYNC __attribute__((swiftasynccall))

SWIFT void *swift_task_getCurrent(void);

typedef SWIFT_ASYNC void Await(void *context);

static Await *await;

__attribute__((constructor)) static void find(void) {
  await = (Await *)dlsym(RTLD_NEXT, "swift_continuation_await");
}

SWIFT_ASYNC void swift_continuation_await(void *context) {
  __tsan_acquire(swift_task_getCurrent());
  __attribute__((musttail)) return await(context);
}
