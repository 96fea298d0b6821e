// A disk that is full for one file: loaded into a program (LD_PRELOAD), it makes the calls that write to the file fail.
//
// DISK_FULL_NAME    part of the file's name; another file takes everything. Files without a name any more have the one
//                   that they had.
// DISK_FULL_BYTES   bytes that the file takes in all; what would go beyond them is written in part first, as the
//                   kernel does it. A file that is cut back has room again for what it lost.
// DISK_FULL_TIMES   calls that fail before there is room again; -1: none ever succeeds.
// DISK_FULL_HOW     write: as above. sync: everything is taken and fsync fails, as on file systems that find room late.
//                   stuck: as write, and the file cannot be cut back either.
// DISK_FULL_TRACE   a file that gets a line for every call that fails.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *name;
static long long room;
static long times;
static bool syncs, isStuck;
static int trace = -1;

__attribute__((constructor)) static void begin(void) {
  const char *bytes = getenv("DISK_FULL_BYTES"), *count = getenv("DISK_FULL_TIMES");
  const char *how = getenv("DISK_FULL_HOW"), *file = getenv("DISK_FULL_TRACE");
  room = bytes ? atoll(bytes) : 0;
  times = count ? atol(count) : -1;
  syncs = how && strcmp(how, "sync") == 0;
  isStuck = how && strcmp(how, "stuck") == 0;
  if (file) trace = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  name = getenv("DISK_FULL_NAME");
}

static const char *last(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static bool isMeant(int descriptor) {
  if (!name) return false;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = 0;
  return strstr(last(path), name) != NULL;
}

// Whether a call is to fail; with the lock.
static bool fails(const char *call) {
  if (times == 0) return false;
  if (times > 0) times -= 1;
  if (trace >= 0) {
    char line[64];
    int length = snprintf(line, sizeof line, "%s\n", call);
    syscall(SYS_write, trace, line, length);
  }
  errno = ENOSPC;
  return true;
}

// How many of these bytes are taken; -1: none, and the call fails.
static ssize_t taken(int descriptor, size_t count) {
  if (count == 0 || syncs || !isMeant(descriptor)) return count;
  pthread_mutex_lock(&lock);
  ssize_t result = count;
  if (times != 0 && (long long)count > room) {
    result = room > 0 ? room : fails("write") ? -1 : (ssize_t)count;
  }
  if (result > 0) room = room > result ? room - result : 0;
  pthread_mutex_unlock(&lock);
  return result;
}

#define REAL(call) \
  static __typeof__(call) *real; \
  if (!real) real = (__typeof__(call) *)dlsym(RTLD_NEXT, #call)

ssize_t write(int descriptor, const void *bytes, size_t count) {
  REAL(write);
  ssize_t part = taken(descriptor, count);
  return part < 0 ? -1 : real(descriptor, bytes, part);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  REAL(pwrite);
  ssize_t part = taken(descriptor, count);
  return part < 0 ? -1 : real(descriptor, bytes, part, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  REAL(pwrite64);
  ssize_t part = taken(descriptor, count);
  return part < 0 ? -1 : real(descriptor, bytes, part, offset);
}

static bool syncFails(int descriptor) {
  if (!syncs || !isMeant(descriptor)) return false;
  struct stat status;
  if (fstat(descriptor, &status) != 0 || status.st_size <= room) return false;
  pthread_mutex_lock(&lock);
  bool result = fails("fsync");
  pthread_mutex_unlock(&lock);
  return result;
}

int fsync(int descriptor) {
  REAL(fsync);
  return syncFails(descriptor) ? -1 : real(descriptor);
}

int fdatasync(int descriptor) {
  REAL(fdatasync);
  return syncFails(descriptor) ? -1 : real(descriptor);
}

// Whether a file may not be cut; one that may gives back the room.
static bool cutFails(int descriptor, long long length) {
  if (!name || syncs || !isMeant(descriptor)) return false;
  struct stat status;
  if (fstat(descriptor, &status) != 0) return false;
  pthread_mutex_lock(&lock);
  bool result = isStuck && fails("ftruncate");
  if (!result && status.st_size > length) room += status.st_size - length;
  pthread_mutex_unlock(&lock);
  return result;
}

int ftruncate(int descriptor, off_t length) {
  REAL(ftruncate);
  return cutFails(descriptor, length) ? -1 : real(descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) {
  REAL(ftruncate64);
  return cutFails(descriptor, length) ? -1 : real(descriptor, length);
}

// A file that is not there cannot be made where nothing fits.
static bool makingFails(const char *path, int flags) {
  struct stat status;
  if (!name || syncs || !(flags & O_CREAT) || room > 0 || strstr(last(path), name) == NULL) return false;
  if (stat(path, &status) == 0) return false;
  pthread_mutex_lock(&lock);
  bool result = fails("open");
  pthread_mutex_unlock(&lock);
  return result;
}

#define MODE(flags) \
  va_list list; \
  va_start(list, flags); \
  mode_t mode = (flags) & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
  va_end(list)

int open(const char *path, int flags, ...) {
  REAL(open);
  MODE(flags);
  return makingFails(path, flags) ? -1 : real(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  REAL(open64);
  MODE(flags);
  return makingFails(path, flags) ? -1 : real(path, flags, mode);
}
