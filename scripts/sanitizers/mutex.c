// Tells the thread sanitizer about the contended path of Swift's Mutex, which it cannot see by itself on Linux.
//
// The quick path of a Mutex is an atomic exchange that is compiled into our own code, so the sanitizer sees it. A lock
// that is taken already goes through these three methods of libswiftSynchronization, which is not instrumented, and on
// to the kernel (FUTEX_LOCK_PI): who waited seems to go on without ever having synchronized with who unlocked, and
// everything that both of them touch inside the lock is reported as a race. Linked into the tests, these definitions
// come before the library's; they call those and say what happened. Nothing needs to be suppressed for a Mutex then.
//
// Symbols and layout: Swift's stdlib/public/Synchronization/Mutex/LinuxImpl.swift. The handle is one word at the
// Mutex's own address, and comes in the register of `self`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void Lock(uint32_t thread, SELF void *handle);
typedef SWIFT bool TryLock(SELF void *handle);
typedef SWIFT void Unlock(SELF void *handle);

static Lock *lock;
static TryLock *tryLock;
static Unlock *unlock;

__attribute__((constructor)) static void find(void) {
  lock = (Lock *)dlsym(RTLD_NEXT, LOCK);
  tryLock = (TryLock *)dlsym(RTLD_NEXT, TRY_LOCK);
  unlock = (Unlock *)dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lockSlow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void lockSlow(uint32_t thread, SELF void *handle) {
  lock(thread, handle);
  __tsan_acquire(handle);
}

SWIFT bool tryLockSlow(SELF void *handle) __asm__(TRY_LOCK);
SWIFT bool tryLockSlow(SELF void *handle) {
  bool locked = tryLock(handle);
  if (locked) __tsan_acquire(handle);
  return locked;
}

SWIFT void unlockSlow(SELF void *handle) __asm__(UNLOCK);
SWIFT void unlockSlow(SELF void *handle) {
  __tsan_release(handle);
  unlock(handle);
}
