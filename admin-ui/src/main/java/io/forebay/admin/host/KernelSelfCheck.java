/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.operations.SelfCheck;
import io.forebay.text.Formats;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks settings of the kernel, and limits of this process, for queues in mapped files. */
final class KernelSelfCheck implements SelfCheck {

  private static final long ENOUGH_MAPS = 65_530;
  private static final long ENOUGH_FILES = 8_192;
  private static final Pattern MAX_OPEN_FILES =
      Pattern.compile("(?m)^Max open files +(\\d{1,18}|unlimited)");
  private static final Pattern SWAPPED = Pattern.compile("(?m)^VmSwap:\\s+(\\d{1,15}) kB");

  private final KernelLimits kernel;

  KernelSelfCheck(KernelLimits kernel) {
    this.kernel = kernel;
  }

  @Override
  public List<Result> run() {
    return List.of(maps(), files(), swap(), hugePages());
  }

  private Result maps() {
    String check = "mapped files";
    String value = kernel.read("proc/sys/vm/max_map_count");
    if (!value.matches("\\d{1,18}")) {
      return new Result(check, State.UNKNOWN, value);
    }
    return Long.parseLong(value) >= ENOUGH_MAPS
        ? new Result(check, State.OK, "vm.max_map_count is " + value)
        : new Result(
            check,
            State.WARN,
            "vm.max_map_count is %s: too few for many queues".formatted(value),
            Harm.OUTAGE,
            "sysctl -w vm.max_map_count=262144, and the same line in /etc/sysctl.d.");
  }

  /** The JVM has raised its soft limit to the hard one. */
  private Result files() {
    String check = "open files";
    Matcher limit = MAX_OPEN_FILES.matcher(kernel.read("proc/self/limits"));
    if (!limit.find()) {
      return new Result(check, State.UNKNOWN, "the limit of this process cannot be read");
    }
    String text = "at most " + limit.group(1);
    return limit.group(1).equals("unlimited") || Long.parseLong(limit.group(1)) >= ENOUGH_FILES
        ? new Result(check, State.OK, text)
        : new Result(
            check,
            State.WARN,
            text + ": each connection and each queue file takes one",
            Harm.OUTAGE,
            "Set LimitNOFILE=65536 in the systemd unit, or --ulimit nofile=65536 for a container.");
  }

  private Result swap() {
    String check = "swap";
    Matcher swapped = SWAPPED.matcher(kernel.read("proc/self/status"));
    if (!swapped.find()) {
      return new Result(check, State.UNKNOWN, "the use of this process cannot be read");
    }
    long bytes = Long.parseLong(swapped.group(1)) * 1024;
    return bytes == 0
        ? new Result(check, State.OK, "no memory of this process is swapped out")
        : new Result(
            check,
            State.WARN,
            Formats.bytes(bytes) + " of this process are swapped out: garbage collection stalls",
            Harm.DELAY,
            "Give the host more memory or the JVM less (-Xmx), and set vm.swappiness=1.");
  }

  private Result hugePages() {
    String check = "transparent huge pages";
    String value = kernel.read("sys/kernel/mm/transparent_hugepage/enabled");
    if (value.startsWith("unknown")) {
      return new Result(check, State.UNKNOWN, value);
    }
    return value.contains("[always]")
        ? new Result(
            check,
            State.WARN,
            "always: they can stall a process for milliseconds",
            Harm.DELAY,
            "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled, at each boot of the host.")
        : new Result(check, State.OK, value);
  }
}
