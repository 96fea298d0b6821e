#ifndef GYMMIGRATE_CLINUX_SHIM_H
#define GYMMIGRATE_CLINUX_SHIM_H

// What Linux has beyond POSIX, which its headers show only to _GNU_SOURCE, and Swift's module of them does not define that.

#ifdef __linux__

#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern int sync_file_range(int file, int64_t offset, int64_t count, unsigned int flags);

/// Begins to write a range of a file to the disk. Returns -1 with `errno` for an error.
static inline int gm_begin_writing(int file, int64_t offset, int64_t count) {
  return sync_file_range(file, offset, count, 2 /* SYNC_FILE_RANGE_WRITE */);
}

/// Writes a range of a file to the disk and waits for it. Returns -1 with `errno` for an error.
static inline int gm_finish_writing(int file, int64_t offset, int64_t count) {
  return sync_file_range(file, offset, count, 1 | 2 | 4 /* WAIT_BEFORE, WRITE, WAIT_AFTER */);
}

/// Whether the processor has an instruction for CRC-32C, and so ``gm_crc32c`` may be called.
static inline int gm_has_crc32c(void) {
#if defined(__x86_64__)
  return __builtin_cpu_supports("sse4.2");
#else
  return 0;
#endif
}

/// Continues a CRC-32C, whose initial state is all ones and is inverted at the end.
#if defined(__x86_64__)
__attribute__((target("sse4.2")))
#endif
static inline uint32_t gm_crc32c(uint32_t state, const uint8_t *bytes, size_t count) {
#if defined(__x86_64__)
  uint64_t wide = state;
  for (; count >= 8; bytes += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, bytes, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  state = (uint32_t)wide;
  for (; count > 0; bytes++, count--) state = __builtin_ia32_crc32qi(state, *bytes);
#else
  (void)bytes;
  (void)count;
#endif
  return state;
}

#endif

#endif
