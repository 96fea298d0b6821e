// A machine that was suspended: loaded into a program (LD_PRELOAD), it puts the clock that runs through suspension ahead of the others.
//
// SUSPENDED_FILE     the file that is there once the machine was suspended.
// SUSPENDED_SECONDS  how long it was.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = (int)syscall(SYS_clock_gettime, clock, time);
  const char *file = getenv("SUSPENDED_FILE"), *seconds = getenv("SUSPENDED_SECONDS");
  if (result == 0 && clock == CLOCK_BOOTTIME && file && seconds && access(file, F_OK) == 0) {
    time->tv_sec += atol(seconds);
  }
  return result;
}
