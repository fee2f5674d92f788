/* Between a process and its C library: fails the n-th call of a kind on files below a folder, or records those calls.
 *
 * Loaded with LD_PRELOAD; driven from Python with ctypes (tests/crash/shim.py). Calls on other files pass untouched.
 * A trace record is: kind (1 byte), path length (4), offset or size (8), data length (4), path, data; little-endian.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { K_WRITE, K_SYNC, K_RENAME, K_OPEN, K_UNLINK, K_CUT, K_ALLOC, KINDS };
#define MOST_FDS 4096

static char root[512];
static char *names[MOST_FDS];          /* path of an open file below the root */
static int armed_kind = -1, armed_errno, armed_on;
static long armed_at, counts[KINDS];
static int trace_fd = -1;
static const char *alloc_in;           /* allocations fail only when asked for by a library of this name */

void shim_root(const char *path) { strncpy(root, path, sizeof root - 1); }
void shim_arm(int kind, long at, int number, int on) {
  memset(counts, 0, sizeof counts);
  armed_kind = kind; armed_at = at; armed_errno = number; armed_on = on;
}
void shim_disarm(void) { armed_kind = -1; }
long shim_count(int kind) { return counts[kind]; }
void shim_alloc_in(const char *library) { alloc_in = library ? strdup(library) : NULL; }
void shim_trace(const char *path) {
  if (trace_fd >= 0) { close(trace_fd); trace_fd = -1; }
  if (path) trace_fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int below(const char *path) { return root[0] && path && strncmp(path, root, strlen(root)) == 0; }
static int fails(int kind) {
  if (armed_kind != kind) return 0;
  counts[kind]++;
  if (counts[kind] == armed_at || (armed_on && counts[kind] > armed_at)) { errno = armed_errno; return 1; }
  return 0;
}
static void note(char kind, const char *path, uint64_t at, const void *data, uint32_t length) {
  if (trace_fd < 0) return;
  uint32_t size = strlen(path);
  struct iovec parts[] = {{&kind, 1}, {&size, 4}, {&at, 8}, {&length, 4}, {(void *)path, size}, {(void *)data, length}};
  syscall(SYS_writev, trace_fd, parts, 6);
}
void shim_mark(const char *text) { note('M', text, 0, "", 0); }
static const char *name_of(int fd) { return fd >= 0 && fd < MOST_FDS ? names[fd] : NULL; }
static void keep(int fd, const char *path) {
  if (fd >= 0 && fd < MOST_FDS) { free(names[fd]); names[fd] = below(path) ? strdup(path) : NULL; }
}


static int opened(int dir, const char *path, int flags, mode_t mode) {
  int mine = below(path);
  int reads = armed_errno == EROFS && !(flags & (O_WRONLY | O_RDWR | O_CREAT)); /* a read-only disk can be read */
  if (mine && !reads && fails(K_OPEN)) return -1;
  struct stat before;
  int there = mine && trace_fd >= 0 ? syscall(SYS_newfstatat, AT_FDCWD, path, &before, 0) == 0 : 1;
  int fd = syscall(SYS_openat, dir, path, flags, mode);
  if (fd >= 0) {
    keep(fd, path);
    if (mine && !there && (flags & O_CREAT)) note('C', path, 0, "", 0);
    else if (mine && (flags & O_TRUNC)) note('T', path, 0, "", 0);
  }
  return fd;
}
#define MODE va_list more; va_start(more, flags); mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0; va_end(more)
int open(const char *path, int flags, ...) { MODE; return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE; return opened(AT_FDCWD, path, flags, mode); }
int openat(int dir, const char *path, int flags, ...) { MODE; return opened(dir, path, flags, mode); }
int openat64(int dir, const char *path, int flags, ...) { MODE; return opened(dir, path, flags, mode); }
int close(int fd) {
  if (fd >= 0 && fd < MOST_FDS && names[fd]) { free(names[fd]); names[fd] = NULL; }
  return syscall(SYS_close, fd);
}
ssize_t write(int fd, const void *data, size_t length) {
  const char *path = name_of(fd);
  if (path) {
    if (fails(K_WRITE)) return -1;
    if (trace_fd >= 0) note('W', path, (uint64_t)lseek(fd, 0, SEEK_CUR), data, length);
  }
  return syscall(SYS_write, fd, data, length);
}
static ssize_t placed(int fd, const void *data, size_t length, off_t at) {
  const char *path = name_of(fd);
  if (path) {
    if (fails(K_WRITE)) return -1;
    note('W', path, (uint64_t)at, data, length);
  }
  return syscall(SYS_pwrite64, fd, data, length, at);
}
ssize_t pwrite(int fd, const void *data, size_t length, off_t at) { return placed(fd, data, length, at); }
ssize_t pwrite64(int fd, const void *data, size_t length, off_t at) { return placed(fd, data, length, at); }
static int synced(int fd, long call) {
  const char *path = name_of(fd);
  if (path) {
    if (fails(K_SYNC)) return -1;
    note('S', path, 0, "", 0);
  }
  return syscall(call, fd);
}
int fsync(int fd) { return synced(fd, SYS_fsync); }
int fdatasync(int fd) { return synced(fd, SYS_fdatasync); }
static int cut(int fd, off_t size) {
  const char *path = name_of(fd);
  if (path) {
    if (fails(K_CUT)) return -1;
    note('L', path, (uint64_t)size, "", 0);
  }
  return syscall(SYS_ftruncate, fd, size);
}
int ftruncate(int fd, off_t size) { return cut(fd, size); }
int ftruncate64(int fd, off_t size) { return cut(fd, size); }
int rename(const char *from, const char *to) {
  if (below(from) || below(to)) {
    if (fails(K_RENAME)) return -1;
    note('R', from, 0, to, strlen(to));
  }
  return syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}
int unlink(const char *path) {
  if (below(path)) {
    if (fails(K_UNLINK)) return -1;
    note('U', path, 0, "", 0);
  }
  return syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int mkdir(const char *path, mode_t mode) {
  if (below(path)) note('D', path, 0, "", 0);
  return syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

/* allocations: the caller's library is looked up only while one of them is to fail */
static int alloc_fails(void *caller) {
  if (armed_kind != K_ALLOC || !alloc_in) return 0;
  Dl_info where;
  static __thread int inside;
  if (inside) return 0;
  inside = 1;
  int hit = dladdr(caller, &where) && where.dli_fname && strstr(where.dli_fname, alloc_in) != NULL;
  inside = 0;
  return hit && fails(K_ALLOC);
}
void *malloc(size_t size) {
  extern void *__libc_malloc(size_t);
  if (armed_kind == K_ALLOC && alloc_fails(__builtin_return_address(0))) return NULL;
  return __libc_malloc(size);
}
void *realloc(void *old, size_t size) {
  extern void *__libc_realloc(void *, size_t);
  if (armed_kind == K_ALLOC && alloc_fails(__builtin_return_address(0))) return NULL;
  return __libc_realloc(old, size);
}
