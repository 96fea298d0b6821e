#ifndef GYMMIGRATE_CLINUX_SHIM_H
#define GYMMIGRATE_CLINUX_SHIM_H

// What Linux has beyond POSIX, which its headers show only to _GNU_SOURCE, and Swift's module of them does not define that.

#ifdef __linux__

#include <stdint.h>

extern int sync_file_range(int file, int64_t offset, int64_t count, unsigned int flags);

/// Begins to write a range of a file to the disk. Returns -1 with `errno` for an error.
static inline int gm_begin_writing(int file, int64_t offset, int64_t count) {
  return sync_file_range(file, offset, count, 2 /* SYNC_FILE_RANGE_WRITE */);
}

/// Writes a range of a file to the disk and waits for it. Returns -1 with `errno` for an error.
static inline int gm_finish_writing(int file, int64_t offset, int64_t count) {
  return sync_file_range(file, offset, count, 1 | 2 | 4 /* WAIT_BEFORE, WRITE, WAIT_AFTER */);
}

#endif

#endif
