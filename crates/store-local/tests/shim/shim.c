/* A layer between a program and its files, for tests: LD_PRELOAD it.
 *
 * HASHRANGE_SHIM_ROOT     only files below this folder are concerned
 * HASHRANGE_SHIM_CONTROL  a file of struct control: which calls fail, and how
 * HASHRANGE_SHIM_LOG      a file to which an undo record of every change is appended, and every completed sync, so
 *                         that mod.rs can play a power cut: whatever no sync has covered is taken back
 * HASHRANGE_SHIM_GRAVES   a folder on the same file system, where removed files are kept until then
 *
 * With a log nothing is really synced: what counts is the record. Calls that do not go through the C library are not
 * seen; the crate rustix, by which tempfile renames, is therefore built with its feature `use-libc`. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { OPEN = 1, WRITE = 2, SYNC = 4, TRUNCATE = 8, RENAME = 16, UNLINK = 32, READ = 64, MKDIR = 128 };
enum { R_WRITE = 1, R_TRUNCATE, R_SYNC_BEGUN, R_SYNC_DONE, R_CREATE, R_UNLINK, R_RENAME, R_MKDIR, R_RMDIR };
enum { SITES = 2048, FRAMES = 12 };

/* mod.rs knows this layout. */
struct control {
    volatile uint32_t armed;
    uint32_t calls;     /* which calls */
    int32_t error;      /* what they fail with */
    uint32_t skip;      /* so many go well first */
    uint32_t count;     /* so many fail */
    uint32_t shorten;   /* the first write that fails writes half instead */
    uint32_t delay_us;  /* they do not fail, but take longer */
    uint32_t seen;      /* calls that matched */
    uint32_t hit;       /* calls that failed or were delayed */
    uint32_t deny_sync; /* syncs are not recorded: the disk lies */
    char part[88];      /* only paths with this in them */
    uint64_t site;      /* only calls from there; 0: from anywhere */
    uint32_t collect;   /* note from where calls come */
    uint32_t sites;     /* so many places were found */
    struct {
        uint64_t site, count;
    } found[SITES];
};

/* mod.rs knows this layout. */
struct record {
    uint32_t magic, kind;
    uint64_t inode;  /* of the file, or of the folder whose entry changed */
    uint64_t offset; /* of a write; the new length of a truncation; the number of a sync */
    uint64_t length; /* of a write */
    uint64_t old_size;
    uint64_t data_length; /* 0: zeros */
    uint32_t first_length, second_length;
};

static const char *root, *graves;
static struct control *control;
static int log_fd = -1;
static uint64_t tickets;

__attribute__((constructor)) static void start(void) {
    root = getenv("HASHRANGE_SHIM_ROOT");
    graves = getenv("HASHRANGE_SHIM_GRAVES");
    const char *path = getenv("HASHRANGE_SHIM_CONTROL");
    if (path) {
        int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
        void *at = fd < 0 ? MAP_FAILED : mmap(0, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (at != MAP_FAILED) control = at;
        if (fd >= 0) syscall(SYS_close, fd);
    }
    void *frame;
    backtrace(&frame, 1); /* the first time it loads a library */
    path = getenv("HASHRANGE_SHIM_LOG");
    if (path) log_fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static int concerns(const char *path) {
    return root && path && strncmp(path, root, strlen(root)) == 0;
}

/* The path of an open file if it concerns us. */
static int path_of(int fd, char *path) {
    char link[32];
    if (!root || fd < 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return concerns(path);
}

/* The absolute path of a name relative to an open folder. */
static const char *at_path(int dir, const char *name, char *buffer) {
    if (!name || name[0] == '/' || !root) return name;
    char folder[PATH_MAX];
    if (dir == AT_FDCWD || !path_of(dir, folder)) return name;
    if (snprintf(buffer, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX) return name;
    return buffer;
}

/* From where the program calls: the nearest return addresses on the stack, as one number. */
static uint64_t caller(void) {
    void *frames[FRAMES];
    int count = backtrace(frames, FRAMES);
    uint64_t site = 14695981039346656037u;
    for (int at = 0; at < count; at++) site = (site ^ (uint64_t)frames[at]) * 1099511628211u;
    return site | 1;
}

static void note(uint64_t site) {
    static char busy;
    while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) {}
    uint32_t at = 0;
    while (at < control->sites && control->found[at].site != site) at++;
    if (at < SITES) {
        control->found[at].site = site;
        control->found[at].count++;
        if (at == control->sites) control->sites++;
    }
    __atomic_clear(&busy, __ATOMIC_RELEASE);
}

/* 0: go on; 1: fail with errno; 2: write half. */
static int fault(uint32_t call, const char *path) {
    if (!control || !control->armed || !(control->calls & call)) return 0;
    if (control->part[0] && !strstr(path, control->part)) return 0;
    uint64_t site = control->site || control->collect ? caller() : 0;
    if (control->site && control->site != site) return 0;
    if (control->collect) note(site);
    uint32_t number = __atomic_fetch_add(&control->seen, 1, __ATOMIC_SEQ_CST);
    if (number < control->skip || number - control->skip >= control->count) return 0;
    __atomic_fetch_add(&control->hit, 1, __ATOMIC_SEQ_CST);
    if (control->delay_us) {
        usleep(control->delay_us);
        return 0;
    }
    if (control->shorten && call == WRITE && number == control->skip) return 2;
    errno = control->error;
    return 1;
}

static void put(uint32_t kind, uint64_t inode, uint64_t offset, uint64_t length, uint64_t old_size,
                const char *data, uint64_t data_length, const char *first, const char *second) {
    struct record record = {0x48525348, kind, inode, offset, length, old_size, data_length,
                            first ? strlen(first) : 0, second ? strlen(second) : 0};
    struct iovec parts[4] = {{&record, sizeof record},
                             {(void *)first, record.first_length},
                             {(void *)second, record.second_length},
                             {(void *)data, data_length}};
    syscall(SYS_writev, log_fd, parts, 4);
}

static uint64_t inode_of(const char *path) {
    struct stat found;
    return syscall(SYS_newfstatat, AT_FDCWD, path, &found, 0) == 0 ? found.st_ino : 0;
}

static uint64_t folder_of(const char *path) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash) *slash = 0;
    return inode_of(folder);
}

/* Keeps the bytes from..to of a file that are about to change. */
static void keep(int fd, uint32_t kind, uint64_t from, uint64_t length, uint64_t to, const struct stat *file) {
    uint64_t size = file->st_size, end = to < size ? to : size;
    char link[32], *old = 0;
    uint64_t kept = 0;
    if (from < end) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        int again = syscall(SYS_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC, 0);
        old = malloc(end - from);
        while (again >= 0 && old && kept < end - from) {
            ssize_t got = syscall(SYS_pread64, again, old + kept, end - from - kept, from + kept);
            if (got <= 0) break;
            kept += got;
        }
        if (again >= 0) syscall(SYS_close, again);
        uint64_t used = kept;
        while (used > 0 && old[used - 1] == 0) used--;
        kept = used; /* zeros at the end are implied */
    }
    put(kind, file->st_ino, from, length, size, old, kept, 0, 0);
    free(old);
}

static void before_write(int fd, int64_t offset, uint64_t length) {
    char path[PATH_MAX];
    struct stat file;
    if (log_fd < 0 || !path_of(fd, path) || syscall(SYS_fstat, fd, &file) != 0 || !S_ISREG(file.st_mode)) return;
    if (offset < 0) {
        int appends = syscall(SYS_fcntl, fd, F_GETFL) & O_APPEND;
        offset = appends ? file.st_size : syscall(SYS_lseek, fd, 0, SEEK_CUR);
    }
    keep(fd, R_WRITE, offset, length, offset + length, &file);
}

static int write_fault(int fd) {
    char path[PATH_MAX];
    return control && path_of(fd, path) ? fault(WRITE, path) : 0;
}

ssize_t write(int fd, const void *bytes, size_t length) {
    int what = write_fault(fd);
    if (what == 1) return -1;
    if (what == 2) length /= 2;
    before_write(fd, -1, length);
    return syscall(SYS_write, fd, bytes, length);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t offset) {
    int what = write_fault(fd);
    if (what == 1) return -1;
    if (what == 2) length /= 2;
    before_write(fd, offset, length);
    return syscall(SYS_pwrite64, fd, bytes, length, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) { return pwrite64(fd, bytes, length, offset); }

ssize_t writev(int fd, const struct iovec *parts, int count) {
    if (write_fault(fd)) return -1;
    uint64_t length = 0;
    for (int part = 0; part < count; part++) length += parts[part].iov_len;
    before_write(fd, -1, length);
    return syscall(SYS_writev, fd, parts, count);
}

int ftruncate64(int fd, off_t length) {
    char path[PATH_MAX];
    struct stat file;
    if (path_of(fd, path)) {
        if (fault(TRUNCATE, path)) return -1;
        if (log_fd >= 0 && syscall(SYS_fstat, fd, &file) == 0)
            keep(fd, R_TRUNCATE, length, 0, file.st_size, &file);
    }
    return syscall(SYS_ftruncate, fd, length);
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

/* Whether it is the folder in which the root's own entry is. */
static int holds_root(const char *path) {
    size_t length = strlen(path);
    return strncmp(root, path, length) == 0 && root[length] == '/' && !strchr(root + length + 1, '/');
}

static int sync_by(long call, int fd) {
    char path[PATH_MAX] = "";
    struct stat file;
    if (!path_of(fd, path) && !(path[0] && holds_root(path))) return syscall(call, fd);
    if (log_fd < 0) return fault(SYNC, path) ? -1 : syscall(call, fd);
    uint64_t ticket = __atomic_add_fetch(&tickets, 1, __ATOMIC_SEQ_CST);
    if (syscall(SYS_fstat, fd, &file) != 0) return -1;
    put(R_SYNC_BEGUN, file.st_ino, ticket, 0, 0, 0, 0, 0, 0);
    if (fault(SYNC, path)) return -1;
    if (!control || !control->deny_sync) put(R_SYNC_DONE, file.st_ino, ticket, 0, 0, 0, 0, 0, 0);
    return 0;
}

int fsync(int fd) { return sync_by(SYS_fsync, fd); }
int fdatasync(int fd) { return sync_by(SYS_fdatasync, fd); }

static int open_by(int dir, const char *name, int flags, mode_t mode) {
    char buffer[PATH_MAX];
    const char *path = at_path(dir, name, buffer);
    if (!concerns(path)) return syscall(SYS_openat, dir, name, flags, mode);
    if (fault(OPEN, path)) return -1;
    int creates = log_fd >= 0 && (flags & O_CREAT) && inode_of(path) == 0;
    if (log_fd >= 0 && !creates && (flags & O_TRUNC)) {
        int old = syscall(SYS_openat, dir, name, O_RDWR | O_CLOEXEC, 0);
        if (old >= 0) {
            ftruncate64(old, 0);
            syscall(SYS_close, old);
        }
    }
    int fd = syscall(SYS_openat, dir, name, flags, mode);
    if (fd >= 0 && creates) put(R_CREATE, folder_of(path), inode_of(path), 0, 0, 0, 0, path, 0);
    return fd;
}

static mode_t mode_of(int flags, va_list more) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
}

#define OPENS(NAME)                                   \
    int NAME(const char *path, int flags, ...) {      \
        va_list more;                                 \
        va_start(more, flags);                        \
        mode_t mode = mode_of(flags, more);           \
        va_end(more);                                 \
        return open_by(AT_FDCWD, path, flags, mode);  \
    }
#define OPENS_AT(NAME)                                    \
    int NAME(int dir, const char *path, int flags, ...) { \
        va_list more;                                     \
        va_start(more, flags);                            \
        mode_t mode = mode_of(flags, more);               \
        va_end(more);                                     \
        return open_by(dir, path, flags, mode);           \
    }
OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)

DIR *opendir(const char *path) {
    int fd = open_by(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
    return fd < 0 ? 0 : fdopendir(fd);
}

/* Keeps a file that is about to lose its name. */
static void bury(const char *path) {
    char grave[PATH_MAX];
    uint64_t inode = inode_of(path);
    if (log_fd < 0 || !graves || !inode) return;
    uint64_t number = __atomic_add_fetch(&tickets, 1, __ATOMIC_SEQ_CST);
    snprintf(grave, sizeof grave, "%s/%d-%lu", graves, getpid(), (unsigned long)number);
    if (syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, grave, 0) == 0)
        put(R_UNLINK, folder_of(path), inode, 0, 0, 0, 0, path, grave);
}

static int unlink_by(int dir, const char *name, int flags) {
    char buffer[PATH_MAX];
    const char *path = at_path(dir, name, buffer);
    if (!concerns(path)) return syscall(SYS_unlinkat, dir, name, flags);
    if (fault(UNLINK, path)) return -1;
    if (!(flags & AT_REMOVEDIR)) bury(path);
    int done = syscall(SYS_unlinkat, dir, name, flags);
    if (done == 0 && log_fd >= 0 && (flags & AT_REMOVEDIR)) put(R_RMDIR, folder_of(path), 0, 0, 0, 0, 0, path, 0);
    return done;
}

int unlink(const char *path) { return unlink_by(AT_FDCWD, path, 0); }
int unlinkat(int dir, const char *path, int flags) { return unlink_by(dir, path, flags); }
int rmdir(const char *path) { return unlink_by(AT_FDCWD, path, AT_REMOVEDIR); }

static int rename_by(int from_dir, const char *from_name, int to_dir, const char *to_name, unsigned flags) {
    char from_buffer[PATH_MAX], to_buffer[PATH_MAX];
    const char *from = at_path(from_dir, from_name, from_buffer), *to = at_path(to_dir, to_name, to_buffer);
    if (concerns(to)) {
        if (fault(RENAME, to)) return -1;
        if (log_fd >= 0) {
            bury(to); /* what it replaces */
            put(R_RENAME, folder_of(to), inode_of(from), 0, 0, 0, 0, from, to);
        }
    }
    return syscall(SYS_renameat2, from_dir, from_name, to_dir, to_name, flags);
}

int rename(const char *from, const char *to) { return rename_by(AT_FDCWD, from, AT_FDCWD, to, 0); }
int renameat(int from_dir, const char *from, int to_dir, const char *to) {
    return rename_by(from_dir, from, to_dir, to, 0);
}
int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags) {
    return rename_by(from_dir, from, to_dir, to, flags);
}

static int mkdir_by(int dir, const char *name, mode_t mode) {
    char buffer[PATH_MAX];
    const char *path = at_path(dir, name, buffer);
    if (!concerns(path)) return syscall(SYS_mkdirat, dir, name, mode);
    if (fault(MKDIR, path)) return -1;
    int done = syscall(SYS_mkdirat, dir, name, mode);
    if (done == 0 && log_fd >= 0) put(R_MKDIR, folder_of(path), inode_of(path), 0, 0, 0, 0, path, 0);
    return done;
}

int mkdir(const char *path, mode_t mode) { return mkdir_by(AT_FDCWD, path, mode); }
int mkdirat(int dir, const char *path, mode_t mode) { return mkdir_by(dir, path, mode); }

ssize_t read(int fd, void *bytes, size_t length) {
    char path[PATH_MAX];
    if (control && control->armed && path_of(fd, path) && fault(READ, path)) return -1;
    return syscall(SYS_read, fd, bytes, length);
}

ssize_t pread64(int fd, void *bytes, size_t length, off_t offset) {
    char path[PATH_MAX];
    if (control && control->armed && path_of(fd, path) && fault(READ, path)) return -1;
    return syscall(SYS_pread64, fd, bytes, length, offset);
}

ssize_t pread(int fd, void *bytes, size_t length, off_t offset) { return pread64(fd, bytes, length, offset); }
