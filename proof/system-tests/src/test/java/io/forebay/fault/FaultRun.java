/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.fault.History.Answer;
import io.forebay.fault.History.Sent;
import io.forebay.fault.ServiceArguments.Settings;
import io.forebay.queue.QueueBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Queues, a database and a sequence of processes on them, each with a journal. The result can be
 * checked whenever no process runs and everything is performed.
 */
final class FaultRun implements AutoCloseable {

  /** The error that Flyway logs if the database is killed during a migration. */
  private static final Pattern FLYWAY_WITHOUT_DATABASE =
      Pattern.compile(
          "TransactionalExecutionTemplate|DbMigrate .*failed! Changes successfully rolled back");

  /** Kafka's clients log an error when another instance takes over. */
  private static final String KAFKA_CLIENT = " o.a.k.c.";

  static final String SEED = "forebay.fault.seed";

  private final String name;
  private final Path directory;
  private final String database;
  private final long seed;
  private final RandomGenerator random;
  private final List<Path> journals = new ArrayList<>();
  private final List<RunningService> services = new ArrayList<>();
  private String queues;
  private Settings settings = Settings.PLAIN;
  private boolean databaseKilled;
  private long checked;
  private boolean sound;

  private FaultRun(String name, Path directory, String queues, String database, long seed) {
    this.name = name;
    this.directory = directory;
    this.queues = queues;
    this.database = database;
    this.seed = seed;
    this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  /** A run on a new embedded database. */
  static FaultRun embedded(String name) {
    Path directory = temporary(name);
    return new FaultRun(
        name, directory, inside(directory), directory.resolve("database").toString(), newSeed());
  }

  /** A run on a database of a PostgreSQL server. */
  static FaultRun on(String url, String name) {
    Path directory = temporary(name);
    return new FaultRun(name, directory, inside(directory), url, newSeed());
  }

  /** A run on new topics of a Kafka cluster and a database of a PostgreSQL server. */
  static FaultRun onKafka(String servers, String url, String name) {
    Path directory = temporary(name);
    String queues = Queues.kafka(servers, directory.getFileName() + ".");
    return new FaultRun(name, directory, queues, url, newSeed());
  }

  private static String inside(Path directory) {
    return directory.resolve("queues").toString();
  }

  /** The property {@code forebay.fault.seed}, or a random seed. */
  static long newSeed() {
    return Long.getLong(SEED, System.nanoTime() & 0xffff_ffffL);
  }

  static Path temporary(String name) {
    try {
      Path parent = Files.createDirectories(Path.of("target", "fault-tests"));
      return Files.createTempDirectory(parent, name + "-").toAbsolutePath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  RandomGenerator random() {
    return random;
  }

  /** The URL of the database, or the directory of an embedded one. */
  String database() {
    return database;
  }

  /** Sets the settings of the following processes. */
  void use(Settings next) {
    settings = next;
  }

  /** Declares that the database is killed from now on, which may hit a migration. */
  void databaseIsKilled() {
    databaseKilled = true;
  }

  RunningService start() {
    return start(Optional.empty(), database);
  }

  RunningService start(Optional<String> crashPoint) {
    return start(crashPoint, database);
  }

  /**
   * Starts the next process.
   *
   * @param through the URL by which it connects to the database
   */
  RunningService start(Optional<String> crashPoint, String through) {
    sound = false;
    int process = journals.size() + 1;
    Path journal = directory.resolve("journal-" + process);
    RunningService service =
        RunningService.start(
            new ServiceArguments(
                queues, through, settings, journal, List.copyOf(journals), seed, process),
            crashPoint,
            directory.resolve("log-" + process));
    journals.add(journal);
    services.add(service);
    return service;
  }

  /**
   * Continues with a copy of the present queues, as on a cloned host. Later journal entries of
   * processes already started are not part of this run.
   */
  void cloneQueues() {
    try {
      Path clone = directory.resolve("clone");
      Path original = Path.of(queues);
      try (Stream<Path> files = Files.walk(original)) {
        for (Path file : files.toList()) {
          Files.copy(file, clone.resolve(original.relativize(file)));
        }
      }
      queues = clone.toString();
      for (int i = 0; i < journals.size(); i++) {
        Path copy = directory.resolve("cloned-" + journals.get(i).getFileName());
        if (Files.exists(journals.get(i))) {
          Files.copy(journals.get(i), copy);
        }
        journals.set(i, copy);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads the result and compares it with what was sent; no process may be running. */
  void check() {
    Violations violations = new Violations();
    Sent sent = Journal.read(journals);
    History history = history(sent, violations);
    QueueChecker.check(history, violations);
    DatabaseChecker.check(history, violations);
    services.forEach(service -> errors(service, violations));
    if (!violations.counts().isEmpty()) {
      throw new AssertionError(context() + violations);
    }
    checked = sent.acknowledgements().size();
    sound = true;
  }

  private History history(Sent sent, Violations violations) {
    try (QueueBackend backend = Queues.open(queues, settings.level());
        Target target = Target.open(database)) {
      Source source = Source.of(backend);
      List<Answer> answers = Observer.answers(source);
      if (Queues.shared(queues)) {
        Source plain = Source.plainConsumer(Queues.servers(queues), Queues.prefix(queues));
        if (!Observer.answers(plain).equals(answers)) {
          violations.add("foreign reader", "a plain consumer reads results that differ from ours");
        }
      }
      return new History(sent, Observer.accepted(source), answers, Observer.contents(target));
    } catch (SQLException e) {
      throw new AssertionError(context(), e);
    }
  }

  private void errors(RunningService service, Violations violations) {
    boolean kafka = Queues.shared(queues);
    service.process().errors().stream()
        .filter(line -> line.contains(" ERROR "))
        .filter(line -> !databaseKilled || !FLYWAY_WITHOUT_DATABASE.matcher(line).find())
        .filter(line -> !kafka || !line.contains(KAFKA_CLIENT))
        .forEach(line -> violations.add("error in the log", "%s", line));
  }

  /** The number of acknowledged statements in the last check. */
  long checked() {
    return checked;
  }

  /** The information needed to repeat the run. */
  String context() {
    return "%s, process %d, -D%s=%d, files in %s"
        .formatted(name, journals.size(), SEED, seed, directory);
  }

  /** Ends the processes, and removes the files if the last check found no violation. */
  @Override
  public void close() {
    services.forEach(service -> service.process().close());
    if (sound) {
      delete(directory);
    }
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
