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

/** A {@link ServiceProcess}, as the test sees it. */
final class RunningService implements AutoCloseable {

  /** How long a healthy process may take for anything on a busy machine. */
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
   * @param log where its standard error goes
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
   * @param crashPoint as the property {@code forebay.crash-point} wants it; empty for none
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

  /** How much it has said; a place to await further lines from. */
  int mark() {
    synchronized (said) {
      return said.size();
    }
  }

  /**
   * Waits for a line said after a mark.
   *
   * @throws AssertionError if it ends, or takes too long
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
          throw new AssertionError("nothing came of it in " + PATIENCE + account());
        }
        try {
          said.wait(millis);
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
    }
  }

  /**
   * Waits until something has come about.
   *
   * @throws AssertionError if it ends or the service fails, or it takes too long
   */
  void until(BooleanSupplier condition) {
    long until = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      mustBeWell();
      if (System.nanoTime() > until) {
        throw new AssertionError("nothing came of it in " + PATIENCE + account());
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
        throw new AssertionError("the service process is not well: " + line + account());
      }
    }
  }

  List<String> said() {
    synchronized (said) {
      return List.copyOf(said);
    }
  }

  /** The partitions whose last state it said was RUNNING. */
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

  /** When it first said after that time that it works on the partition, in nanoseconds. */
  OptionalLong runsSince(int partition, long nanos) {
    String running = "state " + partition + " RUNNING";
    synchronized (said) {
      return IntStream.range(0, said.size())
          .filter(i -> saidNanos.get(i) > nanos && said.get(i).equals(running))
          .mapToLong(saidNanos::get)
          .findFirst();
    }
  }

  /** Gives a command and waits for the answer that begins with this word. */
  String tell(ServiceProcess.Command command, String answer) {
    int mark = mark();
    try {
      commands.write(command.name());
      commands.newLine();
      commands.flush();
    } catch (IOException e) {
      throw new AssertionError("it cannot be told to " + command + account(), e);
    }
    return await(line -> line.startsWith(answer), mark);
  }

  /** Sends nothing more, and waits until all is performed and answered. */
  void settle() {
    tell(ServiceProcess.Command.SILENCE, "silent");
    tell(ServiceProcess.Command.QUIET, "quiet");
  }

  /** Drains it and waits for its end. */
  void drain() {
    end(ServiceProcess.Command.DRAIN);
  }

  /** Has it leave what it works on to the others, and waits for its end. */
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

  /** Its exit status, if it ends in that time. */
  Optional<Integer> awaitEnd(Duration timeout) {
    try {
      return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS)
          ? Optional.of(process.exitValue())
          : Optional.empty();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Kills it (SIGKILL), which must still be there, and waits until it is gone. */
  void kill() {
    if (!process.isAlive()) {
      throw new AssertionError("it ended before it was killed" + account());
    }
    process.destroyForcibly();
    awaitEnd(PATIENCE).orElseThrow(() -> new AssertionError("it outlives a kill"));
  }

  /** Stops it (SIGSTOP). */
  void stop() {
    signal("STOP");
  }

  /** Lets it go on (SIGCONT). */
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

  /** What it said and logged last, for the message of a failure. */
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
