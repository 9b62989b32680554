/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.testing;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Another process of a test: a main class on the class path of the tests, or any command. A wait
 * that fails throws an {@link AssertionError} with the end of its output, its exit status if it has
 * ended, and the threads of a JVM that timed out.
 *
 * <p>{@link #close} kills it with its descendants, and so does the end of this JVM. Thread-safe.
 */
public final class ChildProcess implements AutoCloseable {

  /** The time limit of each wait, unless {@link #within} sets another one. */
  public static final Duration PATIENCE = Duration.ofSeconds(240);

  private static final Path TOOLS = Path.of(System.getProperty("java.home"), "bin");
  private static final String JAVA = TOOLS.resolve("java").toString();
  private static final String CLASS_PATH =
      ClassArchive.jarsFirst(
          System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
  private static final int TAIL = 200;
  private static final Set<ChildProcess> OPEN = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> OPEN.forEach(ChildProcess::destroy)));
  }

  private final List<String> command;
  private final Process process;
  private final BufferedWriter input;
  private final PrintWriter log;
  private final List<Line> printed = new ArrayList<>();
  private int streams = 2;
  private volatile Duration limit = PATIENCE;

  private record Line(String text, boolean error, long nanos) {}

  private ChildProcess(ProcessBuilder builder, Writer log) throws IOException {
    this.log = new PrintWriter(log, true);
    command = List.copyOf(builder.command());
    process = builder.start();
    OPEN.add(this);
    input = process.outputWriter(UTF_8);
    // Virtual threads would pin their carriers.
    Thread.ofPlatform().daemon().start(() -> read(process.inputReader(UTF_8), false));
    Thread.ofPlatform().daemon().start(() -> read(process.errorReader(UTF_8), true));
  }

  /** Starts a main class with the {@link #options} of this JVM. */
  public static ChildProcess start(Class<?> main, Object... arguments) {
    return start(java(options(), main, arguments));
  }

  public static ChildProcess start(ProcessBuilder builder) {
    return start(builder, Writer.nullWriter());
  }

  /** Also appends the output to a file. */
  public static ChildProcess start(ProcessBuilder builder, Path log) {
    try {
      return start(builder, Files.newBufferedWriter(log));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ChildProcess start(ProcessBuilder builder, Writer log) {
    try {
      return new ChildProcess(builder, log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The options of this JVM, without agents, and more. */
  public static List<String> options(String... more) {
    return Stream.concat(
            ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(it -> !it.startsWith("-javaagent") && !it.startsWith("-agentlib")),
            Arrays.stream(more))
        .toList();
  }

  /** A command with exactly these JVM options. */
  public static ProcessBuilder java(List<String> options, Class<?> main, Object... arguments) {
    List<String> words = new ArrayList<>(options);
    words.addAll(ClassArchive.options(main, options, CLASS_PATH));
    words.addAll(List.of("-cp", CLASS_PATH, main.getName()));
    Arrays.stream(arguments).map(Object::toString).forEach(words::add);
    return tool("java", words.toArray(String[]::new));
  }

  /** A command with a tool of the JDK. */
  public static ProcessBuilder tool(String name, String... arguments) {
    List<String> words = new ArrayList<>(List.of(TOOLS.resolve(name).toString()));
    words.addAll(List.of(arguments));
    return new ProcessBuilder(words);
  }

  /** Runs a command, which must end with status 0, and returns its output. */
  public static String run(String... command) {
    return run(new ProcessBuilder(command));
  }

  /** Runs a command, which must end with status 0, and returns its output. */
  public static String run(ProcessBuilder builder) {
    try (ChildProcess child = start(builder)) {
      child.awaitEnd(0);
      return child.output();
    }
  }

  /** Runs a command; empty if it does not exist or does not end with status 0. */
  public static Optional<String> tryRun(String... command) {
    try (ChildProcess child = start(new ProcessBuilder(command))) {
      return child.awaitEnd() == 0 ? Optional.of(child.output()) : Optional.empty();
    } catch (UncheckedIOException e) {
      return Optional.empty();
    }
  }

  /** Sends a signal to any process. */
  public static void signal(String name, long pid) {
    run("kill", "-" + name, Long.toString(pid));
  }

  /** Sets the time limit of each following wait. */
  public ChildProcess within(Duration limit) {
    this.limit = limit;
    return this;
  }

  private void read(BufferedReader reader, boolean error) {
    try (reader) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        synchronized (printed) {
          printed.add(new Line(line, error, System.nanoTime()));
          log.println(line);
          printed.notifyAll();
        }
      }
    } catch (IOException e) {
      // the output ends here
    }
    synchronized (printed) {
      if (--streams == 0) {
        log.close();
      }
      printed.notifyAll();
    }
  }

  public long pid() {
    return process.pid();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  private boolean isOver() {
    synchronized (printed) {
      return !process.isAlive() && streams == 0;
    }
  }

  /** The lines of its standard output so far. */
  public List<String> lines() {
    return lines(false);
  }

  /** The lines of its standard error so far. */
  public List<String> errors() {
    return lines(true);
  }

  private List<String> lines(boolean error) {
    synchronized (printed) {
      return printed.stream().filter(it -> it.error == error).map(Line::text).toList();
    }
  }

  /** The lines of both so far, in the order of their arrival. */
  public String output() {
    synchronized (printed) {
      return String.join("\n", printed.stream().map(Line::text).toList());
    }
  }

  /** When it printed this line for the first time after a time, in nanoseconds. */
  public OptionalLong printed(String line, long afterNanos) {
    synchronized (printed) {
      return printed.stream()
          .filter(it -> it.nanos > afterNanos && it.text.equals(line))
          .mapToLong(Line::nanos)
          .findFirst();
    }
  }

  /** Waits for a line of its standard output with this beginning; returns the first. */
  public String await(String beginning) {
    return await(() -> lines().stream().filter(it -> it.startsWith(beginning)).findFirst());
  }

  /** Waits until a condition holds. */
  public void until(BooleanSupplier condition) {
    await(() -> condition.getAsBoolean() ? Optional.of(true) : Optional.empty());
  }

  /**
   * Waits for a value.
   *
   * @throws AssertionError if the process ends first, or the wait times out
   */
  public <T> T await(Supplier<Optional<T>> value) {
    long begin = System.nanoTime();
    while (true) {
      boolean over = isOver(); // first: its last line may be the one
      Optional<T> found = value.get();
      if (found.isPresent()) {
        return found.get();
      }
      if (over) {
        throw failed("ended with status " + process.exitValue());
      }
      if (System.nanoTime() - begin > limit.toNanos()) {
        throw failed("timed out after " + limit + threads());
      }
      synchronized (printed) {
        try {
          printed.wait(10);
        } catch (InterruptedException e) {
          throw failed("was awaited by a thread that was interrupted");
        }
      }
    }
  }

  /** Sends a line, and waits for a line of its standard output that answers it. */
  public String ask(String line, Predicate<String> answer) {
    int mark = lines().size();
    send(line);
    return await(() -> lines().stream().skip(mark).filter(answer).findFirst());
  }

  /** Sends a line to its standard input. */
  public void send(String line) {
    try {
      input.write(line + "\n");
      input.flush();
    } catch (IOException e) {
      throw failed("cannot read \"%s\": %s".formatted(line, e));
    }
  }

  /** Whether it ends within that time. */
  public boolean endsWithin(Duration time) {
    try {
      if (!process.waitFor(time.toNanos(), TimeUnit.NANOSECONDS)) {
        return false;
      }
    } catch (InterruptedException e) {
      throw failed("was awaited by a thread that was interrupted");
    }
    awaitEnd();
    return true;
  }

  /** Waits for its end, and of its output; returns its exit status. */
  public int awaitEnd() {
    until(this::isOver);
    return process.exitValue();
  }

  /** Waits for its end, which must have this exit status. */
  public void awaitEnd(int status) {
    if (awaitEnd() != status) {
      throw failed("ended with status %d instead of %d".formatted(process.exitValue(), status));
    }
  }

  /** Kills it (SIGKILL), which requires that it is running, and waits for its end. */
  public void kill() {
    if (!isAlive()) {
      throw failed("ended with status " + process.exitValue() + " before it was killed");
    }
    process.toHandle().destroyForcibly(); // the method of the process would close its output
    awaitEnd();
  }

  /** Stops it (SIGTERM), and waits for its end; returns its exit status. */
  public int stop() {
    process.toHandle().destroy();
    return awaitEnd();
  }

  /** Suspends it (SIGSTOP). */
  public void suspend() {
    signal("STOP", pid());
    until(this::isSuspended);
  }

  public boolean isSuspended() {
    return tryRun("ps", "-o", "stat=", "-p", Long.toString(pid())).orElse("").startsWith("T");
  }

  /** Continues it (SIGCONT). */
  public void resume() {
    signal("CONT", pid());
  }

  /** An error with its output. */
  public AssertionError failed(String what) {
    String text = output();
    List<String> lines = text.lines().toList();
    return new AssertionError(
        "Child process %d %s; its output:%n%s%nits command: %s"
            .formatted(
                pid(),
                what,
                String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size())),
                String.join(" ", command).replace(CLASS_PATH, "...")));
  }

  /** What the threads of a JVM do, with virtual threads; empty if it is none or has ended. */
  public String threads() {
    if (!command.getFirst().equals(JAVA) || !isAlive()) {
      return "";
    }
    Path virtual = null;
    try {
      virtual = Files.createTempFile("threads", ".txt");
      return "; its threads:\n%s\n%s\n%s\n"
          .formatted(
              jcmd("Thread.print"),
              jcmd("Thread.dump_to_file", "-overwrite", virtual.toString()),
              Files.readString(virtual));
    } catch (AssertionError | IOException | UncheckedIOException e) {
      return "; its threads are unknown: " + e;
    } finally {
      if (virtual != null) {
        virtual.toFile().delete();
      }
    }
  }

  private String jcmd(String... words) {
    List<String> all = new ArrayList<>(List.of(Long.toString(pid())));
    all.addAll(List.of(words));
    try (ChildProcess jcmd = start(tool("jcmd", all.toArray(String[]::new)))) {
      jcmd.within(Duration.ofSeconds(60)).awaitEnd();
      return jcmd.output();
    }
  }

  private void destroy() {
    if (isAlive()) {
      Stream.concat(Stream.of(process.toHandle()), process.descendants())
          .toList()
          .forEach(ProcessHandle::destroyForcibly);
    }
  }

  /** Kills it with its descendants if it is running, and waits for its end. */
  @Override
  public void close() {
    destroy();
    awaitEnd();
    OPEN.remove(this);
  }
}
