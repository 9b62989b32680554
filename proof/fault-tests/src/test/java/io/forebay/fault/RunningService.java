/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** A {@link ServiceProcess} from the test's point of view. */
final class RunningService implements AutoCloseable {

  /** The maximum time of any step of a healthy process on a busy machine. */
  static final Duration PATIENCE = Duration.ofSeconds(120);

  private static final String END = "end of output";
  private static final Pattern STATE = Pattern.compile("state (\\d+) ([A-Z]+).*");
  private static final Pattern FAILED = Pattern.compile("state \\d+ FAILED.*");

  private final Process process;
  private final Path log;
  private final BufferedWriter commands;
  private final List<String> said = new ArrayList<>();
  private final List<Long> saidNanos = new ArrayList<>();

  /**
   * @param log the file for its standard error
   */
  private RunningService(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.commands = process.outputWriter(StandardCharsets.US_ASCII);
    Thread.ofVirtual().start(this::listen);
  }

  /**
   * Starts a process with the JVM options of this one.
   *
   * @param crashPoint the value of property {@code forebay.crash-point}; empty for none
   */
  static RunningService start(ServiceArguments arguments, Optional<String> crashPoint, Path log) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> !option.startsWith("-javaagent") && !option.startsWith("-agentlib"))
        .forEach(command::add);
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    crashPoint.ifPresent(point -> command.add("-Dforebay.crash-point=" + point));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ServiceProcess.class.getName());
    command.addAll(arguments.words());
    try {
      return new RunningService(
          new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void listen() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      String line;
      while ((line = lines.readLine()) != null) {
        synchronized (said) {
          said.add(line);
          saidNanos.add(System.nanoTime());
          said.notifyAll();
        }
      }
    } catch (IOException e) {
      // killed
    }
    synchronized (said) {
      said.add(END);
      saidNanos.add(System.nanoTime());
      said.notifyAll();
    }
  }

  long pid() {
    return process.pid();
  }

  void awaitReady() {
    await("ready"::equals, 0);
  }

  /** The number of output lines so far, from which to await further lines. */
  int mark() {
    synchronized (said) {
      return said.size();
    }
  }

  /**
   * Waits for an output line after a mark.
   *
   * @throws AssertionError if the process ends or the wait times out
   */
  String await(Predicate<String> line, int mark) {
    long until = System.nanoTime() + PATIENCE.toNanos();
    synchronized (said) {
      int next = mark;
      while (true) {
        for (; next < said.size(); next++) {
          if (line.test(said.get(next))) {
            return said.get(next);
          }
        }
        mustBeWell();
        long millis = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
        if (millis <= 0) {
          throw new AssertionError("timed out after " + PATIENCE + account() + threads());
        }
        try {
          said.wait(millis);
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  /** What its threads do. */
  private String threads() {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    ProcessBuilder print =
        new ProcessBuilder(jcmd.toString(), Long.toString(pid()), "Thread.print");
    try (BufferedReader lines = print.start().inputReader()) {
      return "\n-- threads --\n" + String.join("\n", lines.lines().toList());
    } catch (IOException e) {
      return "\nits threads are unknown: " + e;
    }
  }

  /**
   * Waits until a condition holds.
   *
   * @throws AssertionError if the process ends, the service fails, or the wait times out
   */
  void until(BooleanSupplier condition) {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      mustBeWell();
      if (System.nanoTime() > until) {
        throw new AssertionError("timed out after " + PATIENCE + account() + threads());
      }
      LockSupport.parkNanos(10_000_000);
    }
  }

  /** Waits until it is stopped by a signal. */
  void awaitStopped() {
    until(this::isStopped);
  }

  /**
   * @throws AssertionError if it ended by itself, or the service failed
   */
  private void mustBeWell() {
    for (String line : said()) {
      if (line.equals(END) || FAILED.matcher(line).matches()) {
        throw new AssertionError("the service process has failed: " + line + account());
      }
    }
  }

  List<String> said() {
    synchronized (said) {
      return List.copyOf(said);
    }
  }

  /** The partitions whose last reported state is RUNNING. */
  Set<Integer> running() {
    Set<Integer> running = new TreeSet<>();
    for (String line : said()) {
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
    String running = "state " + partition + " RUNNING";
    synchronized (said) {
      return IntStream.range(0, said.size())
          .filter(i -> saidNanos.get(i) > nanos && said.get(i).equals(running))
          .mapToLong(saidNanos::get)
          .findFirst();
    }
  }

  /** Sends a command and waits for the answer that begins with this word. */
  String tell(ServiceProcess.Command command, String answer) {
    int mark = mark();
    try {
      commands.write(command.name());
      commands.newLine();
      commands.flush();
    } catch (IOException e) {
      throw new AssertionError("the process cannot receive command " + command + account(), e);
    }
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
    int status = awaitEnd(PATIENCE).orElseThrow(() -> new AssertionError("no end" + account()));
    if (status != 0) {
      throw new AssertionError("it ended with status " + status + account());
    }
  }

  long accepted() {
    return Long.parseLong(tell(ServiceProcess.Command.ACCEPTED, "accepted ").split(" ")[1]);
  }

  /** Its exit status, if it ends within that time. */
  Optional<Integer> awaitEnd(Duration timeout) {
    try {
      return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)
          ? Optional.of(process.exitValue())
          : Optional.empty();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Kills it (SIGKILL), which requires that it is running, and waits for its end. */
  void kill() {
    if (!process.isAlive()) {
      throw new AssertionError("it ended before it was killed" + account());
    }
    process.destroyForcibly();
    awaitEnd(PATIENCE).orElseThrow(() -> new AssertionError("it survived a kill"));
  }

  /** Suspends it (SIGSTOP). */
  void stop() {
    signal("STOP");
  }

  /** Continues it (SIGCONT). */
  void go() {
    signal("CONT");
  }

  private void signal(String name) {
    run("kill", "-" + name, Long.toString(process.pid()));
  }

  private boolean isStopped() {
    return process.isAlive()
        && run("ps", "-o", "stat=", "-p", Long.toString(process.pid())).startsWith("T");
  }

  private static String run(String... command) {
    try {
      Process tool = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(tool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      tool.waitFor();
      return output.strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Its last output and log lines, for failure messages. */
  String account() {
    List<String> all = said();
    return "%n-- said --%n%s%n-- logged --%n%s"
        .formatted(String.join("\n", tail(all)), String.join("\n", tail(logged())));
  }

  List<String> logged() {
    try {
      return Files.readAllLines(log, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> tail(List<String> lines) {
    return lines.subList(Math.max(0, lines.size() - 40), lines.size());
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
