/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Runs a job in its own process, kills and restarts it repeatedly, until the job ends. */
public final class KilledProcess {

  /** Printed by the process when its job is about to start. */
  public static final String RUNNING = "running";

  /** Printed by the process, with the status and the exit description of the job. */
  public static final String ENDED = "ended ";

  private static final Duration PATIENCE = Duration.ofSeconds(120);

  private final Class<?> main;
  private final List<String> arguments;
  private final Path log;
  private int kills;

  /**
   * @param log the file for its standard error
   */
  public KilledProcess(Class<?> main, List<String> arguments, Path log) {
    this.main = main;
    this.arguments = arguments;
    this.log = log;
  }

  /**
   * Kills the process a number of times, each time at a random moment after its job began, and then
   * lets it end.
   *
   * @param longestMillis the longest time until a kill
   * @return what the process printed at its end
   */
  public String run(int times, int longestMillis, RandomGenerator random) throws Exception {
    for (int kill = 0; kill < times; kill++) {
      String end = run(random.nextInt(longestMillis));
      if (end != null) {
        return end;
      }
      kills++;
    }
    String end = run(Integer.MAX_VALUE);
    if (end == null) {
      throw new AssertionError("the process did not come to its end; " + account());
    }
    return end;
  }

  /** How many times it was killed. */
  public int kills() {
    return kills;
  }

  private @Nullable String run(int killAfterMillis) throws Exception {
    Process process = start();
    try (BufferedReader said = process.inputReader()) {
      await(said, RUNNING);
      if (killAfterMillis < Integer.MAX_VALUE
          && !process.waitFor(killAfterMillis, TimeUnit.MILLISECONDS)) {
        process.toHandle().destroyForcibly(); // the streams stay open
        process.waitFor();
      }
      String end = await(said, ENDED);
      process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      return end;
    } catch (EndOfOutput _) {
      process.waitFor();
      if (killAfterMillis == Integer.MAX_VALUE || process.exitValue() != 137) {
        throw new AssertionError("exit code " + process.exitValue() + "; " + account());
      }
      return null;
    } finally {
      process.destroyForcibly();
    }
  }

  private Process start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> !option.startsWith("-javaagent") && !option.startsWith("-agentlib"))
        .forEach(command::add);
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  private static String await(BufferedReader said, String wanted) throws IOException, EndOfOutput {
    while (true) {
      String line = said.readLine();
      if (line == null) {
        throw new EndOfOutput();
      }
      if (line.startsWith(wanted)) {
        return line.substring(wanted.length());
      }
    }
  }

  private String account() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 60), lines.size()));
  }

  private static final class EndOfOutput extends Exception {
    private static final long serialVersionUID = 1;
  }
}
