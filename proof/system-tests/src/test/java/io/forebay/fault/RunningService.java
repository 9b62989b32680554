/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A {@link ServiceProcess} from the test's point of view. */
record RunningService(ChildProcess process) {

  private static final Pattern STATE = Pattern.compile("state (\\d+) ([A-Z]+).*");
  private static final Pattern FAILED = Pattern.compile("state \\d+ FAILED.*");

  /**
   * Starts a process with the JVM options of this one.
   *
   * @param crashPoint the value of property {@code forebay.crash-point}; empty for none
   * @param log the file for its output
   */
  static RunningService start(ServiceArguments arguments, Optional<String> crashPoint, Path log) {
    List<String> options =
        Stream.concat(
                ChildProcess.options("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                    .stream(),
                crashPoint.map(point -> "-Dforebay.crash-point=" + point).stream())
            .toList();
    return new RunningService(
        ChildProcess.start(
                ChildProcess.java(options, ServiceProcess.class, arguments.words().toArray()), log)
            .within(Duration.ofSeconds(120)));
  }

  void awaitReady() {
    await("ready"::equals, 0);
  }

  /** The number of output lines so far, from which to await further lines. */
  int mark() {
    return process.lines().size();
  }

  /**
   * Waits for an output line after a mark.
   *
   * @throws AssertionError if the process ends, the service fails, or the wait times out
   */
  String await(Predicate<String> line, int mark) {
    return process.await(() -> {
      Optional<String> found = process.lines().stream().skip(mark).filter(line).findFirst();
      return found.or(this::failIfFailed);
    });
  }

  /**
   * Waits until a condition holds.
   *
   * @throws AssertionError if the process ends, the service fails, or the wait times out
   */
  void until(BooleanSupplier condition) {
    process.until(() -> condition.getAsBoolean() || failIfFailed().isPresent());
  }

  private Optional<String> failIfFailed() {
    for (String line : process.lines()) {
      if (FAILED.matcher(line).matches()) {
        throw process.failed("has a service that failed: " + line);
      }
    }
    return Optional.empty();
  }

  /** The partitions whose last reported state is RUNNING. */
  Set<Integer> running() {
    Set<Integer> running = new TreeSet<>();
    for (String line : process.lines()) {
      Matcher state = STATE.matcher(line);
      if (state.matches()) {
        int partition = Integer.parseInt(state.group(1));
        if (state.group(2).equals("RUNNING")) {
          running.add(partition);
        } else {
          running.remove(partition);
        }
      }
    }
    return running;
  }

  /** When it first reported after that time that it performs the partition, in nanoseconds. */
  OptionalLong runsSince(int partition, long nanos) {
    return process.printed("state " + partition + " RUNNING", nanos);
  }

  /** Sends a command and waits for the answer that begins with this word. */
  String tell(ServiceProcess.Command command, String answer) {
    int mark = mark();
    process.send(command.name());
    return await(line -> line.startsWith(answer), mark);
  }

  /** Stops sending, and waits until everything is performed and answered. */
  void settle() {
    tell(ServiceProcess.Command.SILENCE, "silent");
    tell(ServiceProcess.Command.QUIET, "quiet");
  }

  /** Drains it and waits for its end. */
  void drain() {
    end(ServiceProcess.Command.DRAIN);
  }

  /** Lets it leave its work to the others, and waits for its end. */
  void leave() {
    end(ServiceProcess.Command.LEAVE);
  }

  private void end(ServiceProcess.Command command) {
    tell(command, "closed");
    process.awaitEnd(0);
  }

  long accepted() {
    return Long.parseLong(tell(ServiceProcess.Command.ACCEPTED, "accepted ").split(" ")[1]);
  }
}
