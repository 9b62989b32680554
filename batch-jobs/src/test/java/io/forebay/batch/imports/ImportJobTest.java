/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import static io.forebay.hosting.Paused.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.forebay.batch.StartedBy;
import io.forebay.batch.TestBatch;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.queue.Capabilities;
import io.forebay.service.progress.Unavailable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

@Timeout(600)
class ImportJobTest {

  @TempDir Path directory;
  private TestGateway gateway;
  private TestBatch batch;
  private final KeptAudit audit = new KeptAudit();
  private Instant now = Instant.now();

  @BeforeEach
  void open() throws Exception {
    open(100_000);
  }

  private void open(int maxOutstanding) throws Exception {
    gateway = new TestGateway(directory, ImportProcess.CATALOGUE, maxOutstanding);
    gateway.database.createTable(
        "create table item (id bigint check (id <> 13), name varchar(20), price numeric(10,2))");
    batch = new TestBatch();
  }

  @AfterEach
  void close() throws Exception {
    gateway.close();
  }

  private Job job(int chunk) {
    return job(chunk, 10_000);
  }

  private Job job(int chunk, int maxRecord) {
    InstantSource clock = () -> now;
    return ImportJob.create(
        batch.repository(),
        gateway.statements(),
        new ImportSettings(directory, directory.resolve("rejects"), chunk, maxRecord),
        admission(),
        clock);
  }

  private Admission admission() {
    return new Admission(audit, JdbcClient.create(batch.database()), "batch_");
  }

  /** Keeps entries in memory; a test may do something before the next one. */
  private static final class KeptAudit implements Audit {

    private final List<Entry> entries = new ArrayList<>();
    private Runnable before = () -> {};

    @Override
    public void record(Entry entry) {
      before.run();
      entries.add(entry);
    }

    @Override
    public List<Recorded> before(long before, int limit, Filter filter) {
      throw new UnsupportedOperationException();
    }
  }

  private JobParameters parameters(String file, String... more) {
    JobParametersBuilder parameters =
        new JobParametersBuilder()
            .addString("file", directory.resolve(file).toString())
            .addString("statement", "items.add");
    for (int i = 0; i < more.length; i += 2) {
      parameters.addString(more[i], more[i + 1], false);
    }
    return parameters.toJobParameters();
  }

  private Path write(String name, String content) throws Exception {
    return Files.writeString(directory.resolve(name), content);
  }

  private static String rows(int from, int to) {
    return IntStream.rangeClosed(from, to)
        .mapToObj(id -> id + ",item " + id + ",\n")
        .collect(Collectors.joining());
  }

  private List<Long> performed(int count) {
    await()
        .untilAsserted(() ->
            assertThat(gateway.sql.queryForObject("select count(*) from item", Integer.class))
                .isGreaterThanOrEqualTo(count));
    return gateway.sql.queryForList("select id from item order by id", Long.class);
  }

  private static List<Long> numbers(int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(Long::valueOf).toList();
  }

  private static StepExecution step(JobExecution execution) {
    return execution.getStepExecutions().stream()
        .filter(step -> step.getStepName().equals(ImportJob.STEP))
        .findFirst()
        .orElseThrow();
  }

  private static String failure(JobExecution execution) {
    assertThat(execution.getStatus()).isEqualTo(BatchStatus.FAILED);
    return String.valueOf(execution.getAllFailureExceptions().getFirst().getMessage());
  }

  @Test
  void theJobEndsWhenAllIsAcceptedAndReportsItsProgress() throws Exception {
    Path file = write("items.csv", "id,name,price\n" + rows(1, 25) + "x,y,z\n");

    JobExecution execution = batch.run(job(10), parameters("items.csv"));

    assertThat(execution.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(execution.getExitStatus().getExitDescription())
        .matches(
            "25 statements accepted, 1 record rejected \\(.*/rejects/import-\\d+-\\d+\\.csv\\); their results are not awaited");
    assertThat(step(execution).getWriteCount()).isEqualTo(25);
    assertThat(step(execution).getFilterCount()).isEqualTo(1);
    assertThat(step(execution).getExecutionContext().getLong("forebay.total"))
        .isEqualTo(Files.size(file));
    assertThat(step(execution).getExecutionContext().getLong("forebay.done"))
        .isEqualTo(Files.size(file));
    gateway.service.start();
    assertThat(performed(24)).hasSize(24).doesNotContain(13L);
  }

  @Test
  void aRecordTooLargeForTheQueueIsRejectedAndNotCountedAsWritten() throws Exception {
    String large = "x".repeat(Capabilities.MAX_MESSAGE_BYTES);
    write("items.csv", "id,name,price\n" + rows(1, 2) + "3," + large + ",\n" + rows(4, 4));

    JobExecution execution = batch.run(job(10, 4 << 20), parameters("items.csv"));

    assertThat(execution.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(execution.getExitStatus().getExitDescription())
        .startsWith("3 statements accepted, 1 record rejected");
    assertThat(step(execution).getWriteCount()).isEqualTo(3);
    assertThat(step(execution).getFilterCount()).isEqualTo(1);
    try (Stream<Path> files = Files.list(directory.resolve("rejects"))) {
      assertThat(files.toList())
          .singleElement(InstanceOfAssertFactories.PATH)
          .content()
          .contains("4,\"is larger than the queue allows\",\"3,xxx");
    }
    gateway.service.start();
    assertThat(performed(3)).containsExactly(1L, 2L, 4L);
  }

  @Test
  void aWaitingJobCountsTheResultsOfItsStatements() throws Exception {
    gateway.service.start();
    write(
        "items.ndjson",
        "{\"id\":1,\"name\":\"a\"}\n{\"id\":13,\"name\":\"b\"}\n{\"id\":2,\"name\":\"c\",\"price\":\"1.5\"}\n");

    JobExecution execution = batch.run(job(2), parameters("items.ndjson", "wait", "true"));

    assertThat(execution.getExitStatus().getExitDescription())
        .isEqualTo("3 statements accepted, none rejected; 2 took effect, 1 failed (constraint 1)");
    assertThat(performed(2)).containsExactly(1L, 2L);
    assertThat(directory.resolve("rejects")).doesNotExist();
  }

  /** Each time the position is not stored although the statements are accepted, as after a kill. */
  @Test
  void aRestartAtEachRecordLosesAndRepeatsNothing() throws Exception {
    gateway.service.start();
    StringBuilder content = new StringBuilder("id,name,price\r\n");
    for (int id = 100; id < 112; id++) {
      content.append(id % 4 == 0 ? "bad " + id + "\r\n" : id + ",\"two\nlines " + id + "\",\r\n");
    }
    Path file = write("items.csv", content.toString());
    JobParameters parameters =
        parameters("items.csv", "rejects", directory.resolve("rejects.csv").toString());
    TestBatch whole = batch;
    for (int chunks = 1; chunks <= 13; chunks++) {
      Instant end = now;
      int stopAfter = chunks;
      InstantSource clock =
          new InstantSource() {
            private int asked;

            @Override
            public Instant instant() {
              // called at the start and whenever a position is stored; then the process dies
              if (++asked > stopAfter + 1) {
                throw new IllegalStateException("killed");
              }
              return end;
            }
          };
      batch = new TestBatch();
      Files.deleteIfExists(directory.resolve("rejects.csv"));
      gateway.sql.update("delete from item");
      JobExecution killed =
          batch.run(
              ImportJob.create(
                  batch.repository(),
                  gateway.statements(),
                  new ImportSettings(directory, directory, 1, 10_000),
                  admission(),
                  clock),
              parameters);
      assertThat(killed.getStatus())
          .isEqualTo(chunks < 13 ? BatchStatus.FAILED : BatchStatus.COMPLETED);
      if (chunks < 13) {
        assertThat(batch.run(job(5), parameters).getStatus()).isEqualTo(BatchStatus.COMPLETED);
      }
      assertThat(performed(9))
          .containsExactly(101L, 102L, 103L, 105L, 106L, 107L, 109L, 110L, 111L);
      assertThat(directory.resolve("rejects.csv"))
          .hasContent(
              "line,reason,record\n2,\"has 1 fields, but the header line names 3\",\"bad 100\"\n"
                  + "9,\"has 1 fields, but the header line names 3\",\"bad 104\"\n"
                  + "16,\"has 1 fields, but the header line names 3\",\"bad 108\"\n");
      now = now.plusMillis(1);
    }
    batch = whole;
    assertThat(file).exists();
  }

  private JobExecution interrupted(String file, String... more) throws Exception {
    return interrupted(1, file, more);
  }

  /** Interrupts an import after a number of positions were stored. */
  private JobExecution interrupted(int positions, String file, String... more) throws Exception {
    write(file, "id,name,price\n" + rows(20, 29));
    Instant begun = now;
    InstantSource clock =
        new InstantSource() {
          private int asked;

          @Override
          public Instant instant() {
            if (++asked > positions + 1) {
              throw new IllegalStateException("killed");
            }
            return begun;
          }
        };
    JobExecution killed =
        batch.run(
            ImportJob.create(
                batch.repository(),
                gateway.statements(),
                new ImportSettings(directory, directory.resolve("rejects"), 5, 10_000),
                admission(),
                clock),
            parameters(file, more));
    assertThat(killed.getStatus()).isEqualTo(BatchStatus.FAILED);
    return killed;
  }

  @Test
  void aFileChangedInItsImportedPartIsRefused() throws Exception {
    interrupted("items.csv");
    String head = "id,name,price\n";
    write("items.csv", head + rows(30, 39));
    assertThat(failure(batch.run(job(5), parameters("items.csv"))))
        .startsWith(
            "the file was changed in the part that was already read (imported: 74 bytes, up to line 6)");
    write("items.csv", head);
    assertThat(failure(batch.run(job(5), parameters("items.csv"))))
        .startsWith("the file was changed: it has 14 bytes, but 74 were imported");
    write("items.csv", head + rows(20, 31));
    assertThat(batch.run(job(5), parameters("items.csv")).getStatus())
        .isEqualTo(BatchStatus.COMPLETED);
    gateway.service.start();
    assertThat(performed(12)).isEqualTo(numbers(20, 31));
  }

  /** Otherwise its statements would have the same keys as those already handed over. */
  @Test
  void aFileChangedBeforeAPositionWasStoredIsRefused() throws Exception {
    interrupted(0, "items.csv");
    write("items.csv", "id,name,price\n" + rows(30, 39));
    assertThat(failure(batch.run(job(5), parameters("items.csv"))))
        .startsWith(
            "the file was changed in the part that was already read (imported: 14 bytes, up to line 1)");
    write("items.csv", "id,name,price\n" + rows(20, 29));
    assertThat(batch.run(job(5), parameters("items.csv")).getStatus())
        .isEqualTo(BatchStatus.COMPLETED);
    gateway.service.start();
    assertThat(performed(10)).isEqualTo(numbers(20, 29));
  }

  @Test
  void aRestartAfterKeysMayHaveExpiredIsRefused() throws Exception {
    interrupted("items.csv");
    now = now.plus(Duration.ofHours(72)).plusSeconds(1);
    assertThat(failure(batch.run(job(5), parameters("items.csv"))))
        .contains("longer ago than idempotency keys are kept (results-kept=3 d)")
        .contains("after line 6");
    now = now.minusSeconds(2);
    assertThat(batch.run(job(5), parameters("items.csv")).getStatus())
        .isEqualTo(BatchStatus.COMPLETED);
  }

  @Test
  void anImportWaitsForARefusingQueueAndCanBeStopped() throws Exception {
    gateway.close();
    open(3);
    write("items.csv", "id,name,price\n" + rows(20, 29));
    CompletableFuture<JobExecution> running =
        CompletableFuture.supplyAsync(() -> run(job(5), "items.csv"));
    await().until(() -> waitsFor() != null);
    assertThat(waitsFor())
        .startsWith("the queue refuses statements at present: 3 statements of this client");

    batch.stop(Objects.requireNonNull(last()));

    assertThat(running.get().getStatus()).isEqualTo(BatchStatus.STOPPED);
    assertThat(step(running.get()).getReadCount())
        .as("the rest of the chunk is not held in memory")
        .isEqualTo(3);
    gateway.service.start();
    assertThat(run(job(5), "items.csv").getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(waitsFor()).isNull();
    assertThat(performed(10)).isEqualTo(numbers(20, 29));
  }

  /** A database that does not respond while it is unavailable. */
  private static final class AwayDatabase extends DelegatingDataSource {

    private final AtomicInteger refused = new AtomicInteger();
    private volatile boolean away;

    private AwayDatabase(DataSource database) {
      super(database);
    }

    @Override
    public Connection getConnection() throws SQLException {
      if (away) {
        refused.incrementAndGet();
        throw new SQLException("away");
      }
      return super.getConnection();
    }
  }

  @Test
  void aWaitingImportSurvivesAnOutageOfTheJobRepository() throws Exception {
    gateway.close();
    open(3);
    AwayDatabase database = new AwayDatabase(batch.database());
    batch = new TestBatch(database, new SyncTaskExecutor());
    write("items.csv", "id,name,price\n" + rows(20, 29));
    CompletableFuture<JobExecution> running =
        CompletableFuture.supplyAsync(() -> run(job(5), "items.csv", "wait", "true"));
    await().until(() -> waitsFor() != null);

    database.away = true;
    await().until(() -> database.refused.get() > 2);
    assertThat(running).isNotDone();
    database.away = false;
    gateway.service.start();

    assertThat(running.get().getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(performed(10)).isEqualTo(numbers(20, 29));
  }

  /** Even if the import took a long time, and wherever its file is by then. */
  @Test
  void resultsAreAwaitedAsLongAsTheyAreKeptEvenWithoutTheFile() throws Exception {
    Path file = write("items.csv", "id,name,price\n" + rows(20, 22));
    gateway.service.start();
    pause(gateway.service, "a test");
    AtomicInteger asked = new AtomicInteger();
    Instant begun = now;
    InstantSource clock =
        () -> asked.getAndIncrement() == 0 ? begun : begun.plus(Duration.ofHours(100));
    Job slow =
        ImportJob.create(
            batch.repository(),
            gateway.statements(),
            new ImportSettings(directory, directory.resolve("rejects"), 5, 10_000),
            admission(),
            clock);
    CompletableFuture<JobExecution> running =
        CompletableFuture.supplyAsync(() -> run(slow, "items.csv", "wait", "true"));
    await()
        .until(
            () -> running.isDone() || "0 of 3 statements are performed".equals(resultsWaitFor()));
    assertThat(running).isNotDone();
    batch.stop(Objects.requireNonNull(last()));
    assertThat(running.get().getStatus()).isEqualTo(BatchStatus.STOPPED);

    Files.delete(file);
    gateway.service.resume();
    JobExecution restarted = run(slow, "items.csv", "wait", "true");

    assertThat(restarted.getStatus()).isEqualTo(BatchStatus.COMPLETED);
    assertThat(restarted.getExitStatus().getExitDescription()).endsWith("3 took effect, 0 failed");
  }

  private @Nullable String resultsWaitFor() {
    JobExecution last = last();
    return last == null
        ? null
        : last.getStepExecutions().stream()
            .filter(step -> step.getStepName().equals(AwaitResults.NAME))
            .map(step -> (String) step.getExecutionContext().get("forebay.waiting"))
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null);
  }

  private JobExecution run(Job job, String file, String... more) {
    try {
      return batch.run(job, parameters(file, more));
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private @Nullable JobExecution last() {
    var instance = batch.repository().getJobInstance(ImportJob.NAME, parameters("items.csv"));
    return instance == null ? null : batch.repository().getLastJobExecution(instance);
  }

  private @Nullable String waitsFor() {
    JobExecution last = last();
    return last == null || last.getStepExecutions().isEmpty()
        ? null
        : (String) step(last).getExecutionContext().get("forebay.waiting");
  }

  @Test
  void afterTheLossOfTheSystemDatabaseANewImportUsesOtherKeys() throws Exception {
    gateway.service.start();
    write("items.csv", "id,name,price\n" + rows(20, 29));
    batch.run(job(5), parameters("items.csv", "wait", "true"));
    batch = new TestBatch();
    now = now.plusMillis(1);
    batch.run(job(5), parameters("items.csv", "wait", "true"));
    assertThat(performed(20)).hasSize(20);
  }

  @Test
  void allViolationsOfParametersAreReportedFirstAndCanBeCorrected() throws Exception {
    assertThat(failure(batch.run(job(5), new JobParameters())))
        .isEqualTo(
            "file is missing; statement is missing; format must be csv or ndjson if the file name does not end with either");
    assertThat(
            failure(
                batch.run(
                    job(5),
                    parameters(
                        "items.csv", "wait", "perhaps", "rejects", directory + "/items.csv"))))
        .isEqualTo(
            "file must be the absolute path of a file in %s; wait must be true or false"
                .formatted(directory));
    write("items.csv", "id,name,price\n");
    assertThat(
            failure(
                batch.run(job(5), parameters("items.csv", "rejects", directory + "/items.csv"))))
        .isEqualTo("rejects must be the absolute path of a file in " + directory);
    assertThat(batch.run(job(5), parameters("items.csv")).getStatus())
        .isEqualTo(BatchStatus.COMPLETED);
    JobParameters unknown =
        new JobParametersBuilder()
            .addString("file", directory.resolve("items.csv").toString())
            .addString("statement", "none")
            .addString("wait", "perhaps")
            .toJobParameters();
    assertThat(failure(batch.run(job(5), unknown)))
        .isEqualTo(
            "the catalogue has no statement none (it has 1 statements); wait must be true or false");
  }

  @Test
  void aFileOutsideTheDirectoryIsRefusedEvenThroughALink(@TempDir Path elsewhere) throws Exception {
    Path secret = Files.writeString(elsewhere.resolve("secret.csv"), "id,name,price\n");
    Files.createSymbolicLink(directory.resolve("link.csv"), secret);
    Files.createSymbolicLink(directory.resolve("way"), elsewhere);
    String refusal = "file must be the absolute path of a file in " + directory;
    for (String file :
        List.of(
            "link.csv", "way/secret.csv", "../" + elsewhere.getFileName() + "/secret.csv", "way")) {
      assertThat(failure(batch.run(job(5), parameters(file, "format", "csv")))).isEqualTo(refusal);
    }
    write("items.csv", "id,name,price\n");
    Files.createSymbolicLink(directory.resolve("inside.csv"), directory.resolve("items.csv"));
    assertThat(failure(batch.run(job(5), parameters("inside.csv"))))
        .as("no link is followed, wherever it leads")
        .isEqualTo(refusal);
    assertThat(
            failure(
                batch.run(
                    job(5), parameters("items.csv", "rejects", directory + "/way/rejects.csv"))))
        .isEqualTo("rejects must be the absolute path of a file in " + directory);
  }

  @Test
  void rejectsFollowNoLink() throws Exception {
    Path precious = write("precious.csv", "precious");
    Path link = Files.createSymbolicLink(directory.resolve("link.part"), precious);
    Path dangling = Files.createSymbolicLink(directory.resolve("d.part"), directory.resolve("new"));
    try (FileChannel source = FileChannel.open(precious)) {
      for (Path each : List.of(link, dangling)) {
        assertThatThrownBy(() -> new Rejects(source::read, each, 0, 100).close())
            .isInstanceOf(ImportRefused.class)
            .hasMessageContaining("is a symbolic link");
      }
    }
    assertThat(precious).hasContent("precious");
    assertThat(directory.resolve("new")).doesNotExist();

    Path rejects = directory.resolve("rejects.csv");
    ImportState state = ImportState.begin(1, rejects);
    Path partial = Files.writeString(state.partial(2), "rejects");
    Files.createSymbolicLink(rejects, partial);
    assertThat(state.publish(2)).isEqualTo(partial);
    assertThat(partial).hasContent("rejects");
  }

  @Test
  void rejectsArePrivateAndContainNoFormulas() throws Exception {
    List<String> formulas = List.of("=1+1", "+1", "-1", "@a", "\ta", "\ra", "\"=2\",x");
    write("items.csv", "id,name,price\n" + String.join("\n", formulas) + "\n'a\nb=c\n");
    assertThat(batch.run(job(5), parameters("items.csv")).getStatus())
        .isEqualTo(BatchStatus.COMPLETED);
    Path rejects = directory.resolve("rejects");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(rejects)))
        .isEqualTo("rwx------");
    try (Stream<Path> files = Files.list(rejects)) {
      Path file = files.findFirst().orElseThrow();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
      assertThat(Files.readString(file))
          .contains("\"'=1+1\"", "\"'+1\"", "\"'-1\"", "\"'@a\"", "\"'\ta\"", "\"'\ra\"")
          .contains(",\"\"\"=2\"\",x\"\r", ",\"'a\"", ",\"b=c\"");
    }
  }

  @Test
  void rejectsDoNotOverwriteAFile() throws Exception {
    write("items.csv", "id,name,price\n");
    Path other = write("other.csv", "precious");
    assertThat(failure(batch.run(job(5), parameters("items.csv", "rejects", other.toString()))))
        .startsWith("the file for rejects already exists (" + other + ")");
    assertThat(other).hasContent("precious");
  }

  @Test
  void twoImportsWithTheSameRejectsFileDoNotInterfere() throws Exception {
    Path rejects = directory.resolve("bad.csv");
    JobParameters first = parameters("items.csv", "rejects", rejects.toString());
    interrupted(0, "items.csv", "rejects", rejects.toString());
    write("others.csv", "id,name,price\nbad\n");
    assertThat(
            batch
                .run(job(5), parameters("others.csv", "rejects", rejects.toString()))
                .getExitStatus()
                .getExitDescription())
        .contains("(" + rejects + ")");
    write("items.csv", "id,name,price\n" + rows(20, 29) + "worse\n");

    JobExecution second = batch.run(job(5), first);

    assertThat(rejects).content().contains("\"bad\"").doesNotContain("worse");
    String description = second.getExitStatus().getExitDescription();
    String other = description.substring(description.indexOf('(') + 1, description.indexOf(')'));
    assertThat(other).matches(".*/bad\\.csv\\.\\d+-\\d+\\.part");
    assertThat(Path.of(other)).content().contains("worse").doesNotContain("\"bad\"");
  }

  @Test
  void theAuditHasStatementFileAndHashBeforeAnythingIsHandedOver() throws Exception {
    Path file = write("items.csv", "id,name,price\n" + rows(1, 3));
    audit.before =
        () -> {
          throw new Unavailable("the audit is not responding", null);
        };
    assertThat(failure(batch.run(job(5), parameters("items.csv"))))
        .isEqualTo("the audit is not responding");
    gateway.service.start();
    audit.before = () -> {};

    JobExecution execution = batch.run(job(5), parameters("items.csv", "wait", "true"));

    assertThat(performed(3)).containsExactly(1L, 2L, 3L);
    String hash = HexFormat.of().formatHex(sha256().digest(Files.readAllBytes(file)));
    assertThat(audit.entries)
        .containsExactly(
            Audit.Entry.allowed(
                Actor.SYSTEM,
                "job.import",
                "items.add sha256:" + hash + " " + file,
                "execution " + execution.getId()));
  }

  /** With PostgreSQL as the job repository. */
  @Test
  void anOperatorRepeatsNoContentWithItsStatement() throws Exception {
    new ResourceDatabasePopulator(
            new ClassPathResource("org/springframework/batch/core/schema-postgresql.sql"))
        .execute(gateway.database.owner());
    batch = new TestBatch(gateway.database.owner(), new SyncTaskExecutor());
    Path file = write("items.csv", "id,name,price\n" + rows(1, 3));
    JobExecution first = batch.run(job(5), parameters("items.csv"));
    ImportState state = Objects.requireNonNull(ImportState.of(step(first).getExecutionContext()));
    Admission.Content content = Objects.requireNonNull(state.content);
    Actor olga = new Actor(Actor.Kind.APPLICATION, "olga", "operator", "192.0.2.7");
    JobExecution again =
        new JobExecution(1_000, new JobInstance(1_000, ImportJob.NAME), new JobParameters());
    StartedBy.put(again.getExecutionContext(), olga);

    assertThatThrownBy(() -> admission().admit(again, file, content, true))
        .isInstanceOf(ImportRefused.class)
        .hasMessageStartingWith(
            "execution %d has already imported this content with statement items.add"
                .formatted(first.getId()));
    assertThat(audit.entries)
        .last()
        .returns(olga, Audit.Entry::actor)
        .extracting(Audit.Entry::outcome)
        .asString()
        .startsWith("failed: execution ");
    admission().admit(again, file, content, false);
    Admission.Content other =
        new Admission.Content(content.sha256(), content.size(), "items.other");
    admission().admit(again, file, other, true);
    StartedBy.put(
        again.getExecutionContext(),
        new Actor(Actor.Kind.APPLICATION, "anna", "admin", "192.0.2.8"));
    admission().admit(again, file, content, true);

    // As if the process had died between storing the content and the admission.
    String undecided = step(first).getExecutionContext().getString("forebay.import.content");
    JdbcTemplate repository = new JdbcTemplate(gateway.database.owner());
    repository.update(
        "update batch_step_execution_context set serialized_context = null, short_context = ?"
            + " where step_execution_id = ?",
        "{\"forebay.import.content\":\"" + undecided + "\"}",
        step(first).getId());
    StartedBy.put(again.getExecutionContext(), olga);
    admission().admit(again, file, content, true);

    // Of two that begin at the same time, that with the lower id wins, and waits for the other.
    repository.update("update batch_job_execution set status = 'STARTED'");
    assertThatThrownBy(() -> admission().admit(again, file, content, true))
        .isInstanceOf(ImportRefused.class)
        .hasMessageStartingWith("execution %d begins to import".formatted(first.getId()));
    JobExecution lower =
        new JobExecution(0, new JobInstance(1_000, ImportJob.NAME), new JobParameters());
    StartedBy.put(lower.getExecutionContext(), olga);
    CompletableFuture<Void> waiting =
        CompletableFuture.runAsync(() -> admission().admit(lower, file, content, true));
    await().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
    repository.update("update batch_step_execution_context set short_context = '{}'");
    assertThat(waiting).succeedsWithin(Duration.ofSeconds(20));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e);
    }
  }

  /** In several blocks, so that the change is in one that is read long after the check. */
  @Test
  void aFileChangedAfterItWasHashedIsNotImportedFromThereOn() throws Exception {
    gateway.service.start();
    String long1 = "x".repeat(900_000);
    Path file =
        write("items.ndjson", line(1, "a") + line(2, long1) + line(3, long1) + line(4, "b"));
    audit.before = () -> change(file, "\"id\":4", "\"id\":5");

    JobExecution failed = batch.run(job(1, 1_000_000), parameters("items.ndjson"));

    assertThat(failed.getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(failed.getAllFailureExceptions().getFirst())
        .hasStackTraceContaining("the file was changed while it was imported");
    assertThat(step(failed).getExecutionContext().getLong("forebay.import.accepted")).isLessThan(3);
    audit.before = () -> {};
    assertThat(failure(batch.run(job(1, 1_000_000), parameters("items.ndjson"))))
        .startsWith("the file was changed since the import began");
    change(file, "\"id\":5", "\"id\":4");
    assertThat(batch.run(job(1, 1_000_000), parameters("items.ndjson")).getStatus())
        .isEqualTo(BatchStatus.COMPLETED);
    assertThat(gateway.sql.queryForList("select id from item where id in (4, 5)", Long.class))
        .doesNotContain(5L);
  }

  private static String line(int id, String name) {
    return "{\"id\":%d,\"name\":\"%s\"}\n".formatted(id, name);
  }

  private static void change(Path file, String from, String to) {
    try {
      Files.writeString(file, Files.readString(file).replace(from, to));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its audit entry has another hash. */
  @Test
  void whatIsAppendedAfterTheFileWasHashedIsNotRead() throws Exception {
    Path file = write("items.csv", "id,name,price\n" + rows(1, 3));
    audit.before = () -> change(file, "3,item 3,\n", "3,item 3,\n4,item 4,\n");
    assertThat(batch.run(job(5), parameters("items.csv")).getExitStatus().getExitDescription())
        .startsWith("3 statements accepted, none rejected");
  }

  @Test
  void aFileMayGrowWhileTheJobIsDown() throws Exception {
    interrupted("items.csv");
    Files.writeString(directory.resolve("items.csv"), rows(30, 31), StandardOpenOption.APPEND);
    assertThat(batch.run(job(5), parameters("items.csv")).getStatus())
        .isEqualTo(BatchStatus.COMPLETED);
    gateway.service.start();
    assertThat(performed(12)).isEqualTo(numbers(20, 31));
  }
}
