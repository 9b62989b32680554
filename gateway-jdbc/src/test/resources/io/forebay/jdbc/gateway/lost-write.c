// Copyright The Forebay Authors
// SPDX-License-Identifier: Apache-2.0
//
// Behaves as Linux does when it could not write pages of a file: the next force of each descriptor that was open then fails, once.
// LOST_FILE: the end of the file's name. LOST_SINCE: a file that exists from that moment on.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 4096

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int happened;
static int untold[MOST];

static int is_file(int descriptor) {
  char link[64], name[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, name, sizeof name - 1);
  const char *end = getenv("LOST_FILE");
  ssize_t expected = end == NULL ? 0 : (ssize_t) strlen(end);
  return expected > 0 && length >= expected && memcmp(name + length - expected, end, expected) == 0;
}

static int is_lost(int descriptor) {
  int lost = 0;
  pthread_mutex_lock(&lock);
  const char *since = getenv("LOST_SINCE");
  if (!happened && since != NULL && is_file(descriptor) && access(since, F_OK) == 0) {
    happened = 1;
    for (int i = 0; i < MOST; i++) {
      untold[i] = is_file(i);
    }
  }
  if (happened && descriptor < MOST && untold[descriptor] && is_file(descriptor)) {
    untold[descriptor] = 0;
    lost = 1;
  }
  pthread_mutex_unlock(&lock);
  return lost;
}

static int force(const char *function, int descriptor) {
  if (is_lost(descriptor)) {
    errno = EIO;
    return -1;
  }
  return ((int (*)(int)) dlsym(RTLD_NEXT, function))(descriptor);
}

int fsync(int descriptor) { return force("fsync", descriptor); }

int fdatasync(int descriptor) { return force("fdatasync", descriptor); }
