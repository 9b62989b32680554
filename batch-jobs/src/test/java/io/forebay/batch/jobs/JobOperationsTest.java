/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;
import static org.awaitility.Awaitility.await;

import io.forebay.database.TestPostgres;
import io.forebay.operations.Actor;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobRefused;
import io.forebay.operations.jobs.JobRefused.Reason;
import io.forebay.operations.jobs.JobStepView;
import io.forebay.operations.jobs.JobView;
import io.forebay.service.progress.Unavailable;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.batch.core.launch.JobOperator;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.batch.core.repository.support.JdbcJobRepositoryFactoryBean;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Jobs in this process, on the embedded database. */
class JobOperationsTest {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Actor BY = new Actor(Actor.Kind.APPLICATION, "tester", "operator", "local");

  @TempDir static Path data;
  private static ConfigurableApplicationContext context;
  private static JobOperations jobs;
  private static JdbcTemplate database;

  @BeforeAll
  static void start() {
    context =
        new SpringApplicationBuilder(TestJobs.class, Answers.class)
            .web(WebApplicationType.NONE)
            .run(
                "--forebay.data=" + data,
                "--forebay.backend=memory",
                "--forebay.jobs.recover=none", // look() recovers executions of other processes
                "--forebay.gateways.main.migrations=classpath:io/forebay/batch/jobs/tables");
    jobs = context.getBean(JobOperations.class);
    await().ignoreExceptions().until(() -> jobs.execution(1).isEmpty());
    database = new JdbcTemplate(context.getBean("forebayJobsDataSource", DataSource.class));
  }

  /** Commits, and loses the answer on request. */
  private static final class LosingTransactions extends JdbcTransactionManager {

    private static final long serialVersionUID = 1;
    private volatile String lose = "";

    private LosingTransactions(DataSource database) {
      super(database);
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {
      super.doCommit(status);
      if (!lose.isEmpty() && status.getTransactionName().endsWith(lose)) {
        lose = "";
        throw new TransactionSystemException("no answer");
      }
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Answers {

    @Bean(defaultCandidate = false)
    LosingTransactions forebayJobsTransactionManager(
        @Qualifier("forebayJobsDataSource") DataSource database) {
      return new LosingTransactions(database);
    }
  }

  /** Does what the next start does, or a running process periodically. */
  private static void look() {
    JobsLifecycle usual = context.getBean(JobsLifecycle.class);
    usual.stop();
    JobsLifecycle recovering = lifecycle(JobsProperties.Recover.FAIL);
    recovering.start();
    recovering.stop();
    usual.start();
  }

  private static JobsLifecycle lifecycle(JobsProperties.Recover recover) {
    return lifecycle(context.getBean(ProcessLock.class), recover, LONG);
  }

  private static JobsLifecycle lifecycle(
      ProcessLock lock, JobsProperties.Recover recover, Duration limit) {
    return new JobsLifecycle(
        context.getBean(Owners.class),
        lock,
        context.getBean(Executions.class),
        context.getBean(Starter.class),
        context.getBean(JobRepository.class),
        recover,
        Duration.ofDays(8),
        limit);
  }

  @AfterAll
  static void stop() {
    context.close();
  }

  private static Map<String, @Nullable String> run(String run, String... others) {
    Map<String, @Nullable String> parameters = new HashMap<>();
    parameters.put("run", run);
    for (int i = 0; i < others.length; i += 2) {
      parameters.put(others[i], others[i + 1]);
    }
    return parameters;
  }

  private static JobExecutionView ends(JobExecutionView begun, String state) {
    return await()
        .until(() -> jobs.execution(begun.id()).orElseThrow(), view -> view.state().equals(state));
  }

  private static void refused(Reason reason, String words, Runnable command) {
    assertThatThrownBy(command::run)
        .isInstanceOfSatisfying(JobRefused.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(words);
  }

  @Test
  void aJobListsItsParametersAndItsLastExecution() {
    JobExecutionView done = ends(jobs.start("rows", run("view"), BY), "COMPLETED");

    JobView rows = jobs.job("rows").orElseThrow();
    assertThat(rows.description()).isEqualTo("Writes numbers.");
    assertThat(rows.parameters())
        .extracting(JobView.Parameter::name, JobView.Parameter::type, JobView.Parameter::required)
        .contains(tuple("items", "integer", false));
    assertThat(jobs.jobs())
        .extracting(JobView::name)
        .containsExactly("filters", "keyed", "numbered", "plain", "rows", "scoped", "skips");
    assertThat(done.parameters()).containsEntry("run", "view").containsEntry("items", "20");
    assertThat(done.startedBy()).isEqualTo("tester");
    assertThat(done.mayRestart()).isFalse();
    JobStepView write = done.steps().getFirst();
    assertThat(write.counts().read()).isEqualTo(20);
    assertThat(write.counts().written()).isEqualTo(20);
    assertThat(write.progress()).isEqualTo(new JobStepView.Progress("items", 20, 20, null));
    JobStepView.Chunks chunks = write.services().getFirst();
    assertThat(chunks.service()).isEqualTo("price.of.goods");
    assertThat(chunks.fill()).isEqualTo(0.9);
    assertThat(chunks.reasons()).isEqualTo(Map.of("ITEMS", 3L, "ALL_WAITING", 1L));
  }

  @Test
  void anExecutionThatEndsWhileItIsReadIsNotDead() {
    JobExecutionView done = ends(jobs.start("rows", run("read"), BY), "COMPLETED");
    JobExecution read =
        Objects.requireNonNull(context.getBean(JobRepository.class).getJobExecution(done.id()));
    read.setStatus(BatchStatus.STARTED);

    assertThat(context.getBean(ExecutionViews.class).of(read))
        .returns(false, JobExecutionView::dead)
        .returns(false, JobExecutionView::mayRecover);
  }

  @Test
  void progressCountsTheItemsOfCommittedChunksOfAllExecutionsOnce() {
    TestJobs.failAt = 13;
    JobExecutionView failed = ends(jobs.start("filters", Map.of(), BY), "FAILED");
    assertThat(filtered(failed)).as("two chunks").isEqualTo(10);
    TestJobs.failAt = TestJobs.AFTER;
    JobExecutionView restarted = ends(jobs.restart(failed.id(), BY), "FAILED");
    assertThat(filtered(restarted)).isEqualTo(20);
    JobExecutionView again = ends(jobs.restart(restarted.id(), BY), "COMPLETED");
    assertThat(filtered(again)).as("it was complete and started over").isEqualTo(20);
  }

  @Test
  void aStepSaysWhyItSkippedItsLastItem() {
    JobStepView step = ends(jobs.start("skips", Map.of(), BY), "COMPLETED").steps().getFirst();
    assertThat(step.counts().processSkips()).isEqualTo(2);
    assertThat(step.message())
        .isEqualTo(
            "The last item was skipped by java.lang.IllegalArgumentException: number 13 is not wanted");
  }

  private static long filtered(JobExecutionView execution) {
    return Objects.requireNonNull(execution.steps().getFirst().progress()).done();
  }

  @Test
  void violationsAreListedWithTheAllowedParameters() {
    refused(
        Reason.INVALID_PARAMETERS,
        "size is unknown. run is missing. items must be a whole number. Allowed: run"
            + " (required), items, pause.",
        () -> jobs.start("rows", Map.of("size", "1", "items", "many"), BY));
    assertThatThrownBy(() -> jobs.start("rows", Map.of("a\nb", "1"), BY))
        .hasMessageStartingWith("A parameter is unknown. run is missing.");
    refused(
        Reason.UNKNOWN, "There is no job none (known: ", () -> jobs.start("none", Map.of(), BY));
    refused(Reason.UNKNOWN, "no such execution", () -> jobs.stop(1_000_000, BY));
  }

  @Test
  void aFailedExecutionResumesWhereItEnded() {
    TestJobs.failAt = 13;
    JobExecutionView failed = ends(jobs.start("rows", run("fails"), BY), "FAILED");
    assertThat(failed.steps().getFirst().failure())
        .contains("number refused")
        .doesNotContain("\tat ");
    assertThat(failed.steps().getFirst().progress())
        .isEqualTo(new JobStepView.Progress("items", 10, 20, null));
    assertThat(failed.mayRestart()).isTrue();

    JobExecutionView done = ends(jobs.restart(failed.id(), BY), "COMPLETED");
    assertThat(
            database.queryForList(
                "select number from job_rows where run = 'fails' order by number", Long.class))
        .hasSize(20)
        .doesNotHaveDuplicates();
    assertThat(done.steps().getFirst().progress())
        .isEqualTo(new JobStepView.Progress("items", 20, 20, null));
    assertThat(jobs.execution(failed.id()).orElseThrow().mayRestart()).isFalse();
    refused(Reason.NOT_RESTARTABLE, "newest", () -> jobs.restart(failed.id(), BY));
    refused(Reason.ALREADY_COMPLETE, "another value", () -> jobs.restart(done.id(), BY));
    refused(Reason.ALREADY_COMPLETE, "identifying", () -> jobs.start("rows", run("fails"), BY));
  }

  /** Another price, another time: the statement that took effect stays. */
  @Test
  void aRestartThatSendsOtherArgumentsWithTheSameKeysFailsAndSaysSo() {
    TestJobs.sent = "first";
    TestJobs.failAt = 10;
    JobExecutionView failed = ends(jobs.start("keyed", Map.of(), BY), "FAILED");
    TestJobs.sent = "second";
    JobExecutionView restarted = ends(jobs.restart(failed.id(), BY), "FAILED");
    assertThat(restarted.failure()).contains("SqlFailed: KEY_REUSED (SQLState 22000)");
    assertThat(
            database.queryForList(
                "select distinct run from job_rows where run in ('first', 'second')", String.class))
        .containsExactly("first");
    TestJobs.sent = "first";
    ends(jobs.restart(restarted.id(), BY), "COMPLETED");
  }

  @Test
  void anExecutionWhoseEndCouldNotBeWrittenIsRecoveredAndResumes() {
    TestJobs.failAt = 13;
    long id = ends(jobs.start("rows", run("unknown"), BY), "FAILED").id();
    database.update(
        "update forebay.job_owner set runner = 'another' where job_execution_id = ?", id);
    database.update(
        "update forebay.batch_step_execution set status = 'UNKNOWN' where job_execution_id = ?",
        id);
    JobExecutionView stuck = jobs.execution(id).orElseThrow();
    assertThat(stuck.mayRestart()).isFalse();
    assertThat(stuck.mayRecover()).isTrue();
    refused(Reason.NOT_RESTARTABLE, "recover it first", () -> jobs.restart(id, BY));
    refused(
        Reason.NOT_RESTARTABLE, "recover it first", () -> jobs.start("rows", run("unknown"), BY));
    assertThat(jobs.recover(id, BY).mayRestart()).isTrue();

    database.update(
        "update forebay.job_owner set runner = 'another' where job_execution_id = ?", id);
    database.update(
        "update forebay.batch_job_execution set status = 'UNKNOWN' where job_execution_id = ?", id);
    refused(Reason.NOT_RESTARTABLE, "recover it first", () -> jobs.restart(id, BY));
    refused(
        Reason.NOT_RESTARTABLE, "recover it first", () -> jobs.start("rows", run("unknown"), BY));
    look();
    JobExecutionView found = jobs.execution(id).orElseThrow();
    assertThat(found.state()).isEqualTo("FAILED");
    assertThat(found.failure()).startsWith("Recovered");
    ends(jobs.restart(id, BY), "COMPLETED");
    assertThat(
            database.queryForList("select number from job_rows where run = 'unknown'", Long.class))
        .hasSize(20)
        .doesNotHaveDuplicates();
  }

  /** Although this process recovers no executions of others. */
  @Test
  void aFailedExecutionWithAnUnwrittenStepEndIsRecoveredByItsProcess() {
    TestJobs.failAt = 13;
    long id = ends(jobs.start("rows", run("open"), BY), "FAILED").id();
    database.update(
        "update forebay.batch_step_execution set status = 'STARTED' where job_execution_id = ?",
        id);
    await().until(() -> jobs.execution(id).orElseThrow().mayRestart());
    ends(jobs.restart(id, BY), "COMPLETED");
  }

  /** As when clocks are set back, or another process uses another time zone. */
  @Test
  void aRestartResumesAfterTheLastExecutionWhateverTheClockSaid() {
    TestJobs.failAt = 8;
    long first = ends(jobs.start("rows", run("clock"), BY), "FAILED").id();
    TestJobs.failAt = 18;
    long second = ends(jobs.restart(first, BY), "FAILED").id();
    database.update(
        "update forebay.batch_step_execution set create_time = create_time - interval '1' hour"
            + " where job_execution_id = ?",
        second);
    ends(jobs.restart(second, BY), "COMPLETED");
    assertThat(database.queryForList("select number from job_rows where run = 'clock'", Long.class))
        .hasSize(20)
        .doesNotHaveDuplicates();
  }

  /** Otherwise it would seem to run for as long as this process lives. */
  @Test
  void anExecutionCreatedDespiteALostAnswerIsRecovered() {
    context.getBean(LosingTransactions.class).lose = "createJobExecution";
    assertThatThrownBy(() -> jobs.start("rows", run("lost"), BY)).isInstanceOf(Unavailable.class);
    JobExecutionView lost = jobs.executions("rows", Long.MAX_VALUE, 1).getFirst();
    ends(lost, "FAILED");
    ends(jobs.restart(lost.id(), BY), "COMPLETED");
  }

  @Test
  void anExecutionThatWasAskedToStopIsNotRestartedAutomatically() {
    long stopping = ofAnother("stopping", "STOPPING");
    long started = ofAnother("started", "STARTED");
    JobsLifecycle usual = context.getBean(JobsLifecycle.class);
    usual.stop();
    try {
      JobsLifecycle restarting = lifecycle(JobsProperties.Recover.RESTART);
      restarting.start();
      assertThat(jobs.execution(stopping).orElseThrow().mayRestart()).isTrue();
      assertThat(jobs.execution(started).orElseThrow().mayRestart()).isFalse();
      JobExecutionView restarted = jobs.executions("rows", Long.MAX_VALUE, 1).getFirst();
      assertThat(restarted.parameters()).containsEntry("run", "started");
      assertThat(restarted.startedBy())
          .isEqualTo("restarted automatically after execution " + started);
      ends(restarted, "COMPLETED");
      restarting.stop();
    } finally {
      usual.start();
    }
  }

  /** Creates an execution whose process died in the given state. */
  private static long ofAnother(String run, String state) {
    TestJobs.failAt = 13;
    long id = ends(jobs.start("rows", run(run), BY), "FAILED").id();
    database.update(
        "update forebay.batch_job_execution set status = ? where job_execution_id = ?", state, id);
    database.update(
        "update forebay.batch_step_execution set status = 'STARTED' where job_execution_id = ?",
        id);
    database.update(
        "update forebay.job_owner set runner = 'another' where job_execution_id = ?", id);
    return id;
  }

  @Test
  void aFailureOfARunIsOpenUntilTheRunIsRestartedOrAbandoned() throws Exception {
    Instant before = Instant.now().minusSeconds(60);
    TestJobs.failAt = 13;
    long restarted = ends(jobs.start("rows", run("open-1"), BY), "FAILED").id();
    TestJobs.failAt = 13;
    long abandoned = ends(jobs.start("rows", run("open-2"), BY), "FAILED").id();
    ends(jobs.start("rows", run("open-3"), BY), "COMPLETED");
    assertThat(open(before)).as("also after another run").contains(restarted, abandoned);
    assertThat(open(Instant.now().plusSeconds(60))).isEmpty();

    long second = ends(jobs.restart(restarted, BY), "COMPLETED").id();
    assertThat(open(before)).doesNotContain(restarted).contains(abandoned);
    refused(Reason.NOT_RESTARTABLE, "newest", () -> jobs.abandon(restarted, BY));
    refused(Reason.NOT_RESTARTABLE, "newest", () -> jobs.abandon(second, BY));

    assertThat(jobs.abandon(abandoned, BY).state()).isEqualTo("ABANDONED");
    assertThat(open(before)).doesNotContain(abandoned);
    refused(Reason.NOT_RESTARTABLE, "abandoned", () -> jobs.restart(abandoned, BY));
    refused(Reason.NOT_RESTARTABLE, "abandoned", () -> jobs.start("rows", run("open-2"), BY));
  }

  private static List<Long> open(Instant since) {
    return jobs.failed(since, JobOperations.MAX_LIMIT).stream().map(JobExecutionView::id).toList();
  }

  @Test
  void jobsCanBeStartedAfterTheLifecycleWasStoppedAndStarted() {
    JobsLifecycle lifecycle = context.getBean(JobsLifecycle.class);
    lifecycle.stop();
    refused(
        Reason.NOT_RUNNING,
        "This process is shutting down",
        () -> jobs.start("rows", run("reopened"), BY));
    lifecycle.start();
    ends(jobs.start("rows", run("reopened"), BY), "COMPLETED");
  }

  @Test
  void oneExecutionRunsAtATimeAndStopsAtTheEndOfItsChunk() {
    CountDownLatch gate = new CountDownLatch(1);
    TestJobs.gate = gate;
    JobExecutionView begun = jobs.start("rows", run("once", "items", "50"), BY);
    try {
      refused(Reason.ALREADY_RUNNING, "already running", () -> jobs.start("rows", run("once"), BY));
      refused(Reason.ALREADY_RUNNING, "already running", () -> jobs.restart(begun.id(), BY));
      refused(Reason.ALIVE, "live process", () -> jobs.recover(begun.id(), BY));
      await().until(() -> TestJobs.atGate, "once"::equals);
      assertThat(jobs.stop(begun.id(), BY).state()).isEqualTo("STOPPING");
      refused(Reason.NOT_RUNNING, "not running", () -> jobs.stop(begun.id(), BY));
    } finally {
      gate.countDown();
    }
    JobStepView step = ends(begun, "STOPPED").steps().getFirst();
    assertThat(step.counts().written()).isEqualTo(TestJobs.CHUNK);
    assertThat(step.progress())
        .isEqualTo(new JobStepView.Progress("items", step.counts().read(), 50, null));
    JobExecutionView done = ends(jobs.restart(begun.id(), BY), "COMPLETED");
    assertThat(done.steps().getFirst().progress())
        .isEqualTo(new JobStepView.Progress("items", 50, 50, null));
  }

  /** Spring Batch's own operator would end the execution beside its last chunk. */
  @Test
  void theOperatorStopsAnExecutionAtTheEndOfItsChunk() throws Exception {
    JobOperator operator = context.getBean(JobOperator.class);
    TestJobs.gate = new CountDownLatch(1);
    long id = jobs.start("rows", run("operated"), BY).id();
    await().until(() -> TestJobs.atGate, "operated"::equals);
    JobRepository repository = context.getBean(JobRepository.class);
    assertThat(operator.stop(repository.getJobExecution(id))).isTrue();
    assertThat(jobs.execution(id).orElseThrow().state()).isEqualTo("STOPPING");
    refused(Reason.ALIVE, "live", () -> operator.recover(repository.getJobExecution(id)));
    refused(Reason.ALREADY_RUNNING, "running", () -> jobs.restart(id, BY));
    TestJobs.gate.countDown();
    JobExecutionView stopped = ends(jobs.execution(id).orElseThrow(), "STOPPED");
    ends(jobs.restart(stopped.id(), BY), "COMPLETED");
    assertThat(
            database.queryForList("select number from job_rows where run = 'operated'", Long.class))
        .hasSize(20)
        .doesNotHaveDuplicates();
  }

  @Test
  void aJobCanBeStartedAfterAProcessDiedBeforeItsFirstExecution() {
    JobParameters parameters = new JobParametersBuilder().addString("of", "w").toJobParameters();
    context.getBean(JobRepository.class).createJobInstance("plain", parameters);
    ends(jobs.start("plain", Map.of("of", "w"), BY), "COMPLETED");
  }

  @Test
  void executionsAreListedNewestFirst() {
    List<Long> ids =
        List.of("x", "y", "z").stream()
            .map(run -> ends(jobs.start("plain", Map.of("of", run), BY), "COMPLETED").id())
            .toList();
    List<JobExecutionView> newest = jobs.executions("plain", Long.MAX_VALUE, 2);
    assertThat(newest).extracting(JobExecutionView::id).containsExactly(ids.get(2), ids.get(1));
    assertThat(jobs.executions("plain", ids.get(1), 1))
        .extracting(JobExecutionView::id)
        .containsExactly(ids.get(0));
  }

  @Test
  void aJobShowsTheRunningExecutionEvenIfANewerOneHasEnded() {
    CountDownLatch gate = new CountDownLatch(1);
    TestJobs.gate = gate;
    JobExecutionView running = jobs.start("rows", run("runs"), BY);
    long newer = running.id() + 500_000;
    try {
      database.update(
          "insert into forebay.batch_job_execution (job_execution_id, job_instance_id, create_time,"
              + " status) select ?, job_instance_id, create_time, 'COMPLETED'"
              + " from forebay.batch_job_execution where job_execution_id = ?",
          newer,
          running.id());
      assertThat(jobs.job("rows").orElseThrow().last())
          .extracting(JobExecutionView::id)
          .isEqualTo(running.id());
    } finally {
      database.update("delete from forebay.batch_job_execution where job_execution_id = ?", newer);
      gate.countDown();
    }
    ends(running, "COMPLETED");
  }

  @Test
  void oldEndedExecutionsAreDeletedButNotThoseWithAnUnknownEnd() {
    long old = ends(jobs.start("plain", Map.of("of", "old"), BY), "COMPLETED").id();
    long unknown = ends(jobs.start("plain", Map.of("of", "unknown"), BY), "COMPLETED").id();
    long recent = ends(jobs.start("plain", Map.of("of", "recent"), BY), "COMPLETED").id();
    database.update(
        "update forebay.batch_job_execution set end_time = localtimestamp - interval '9' day"
            + " where job_execution_id in (?, ?)",
        old,
        unknown);
    database.update(
        "update forebay.batch_job_execution set status = 'UNKNOWN' where job_execution_id = ?",
        unknown);

    lifecycle(JobsProperties.Recover.NONE).forget();

    assertThat(jobs.execution(old)).isEmpty();
    assertThat(jobs.execution(unknown)).isPresent();
    assertThat(jobs.execution(recent)).isPresent();
    ends(jobs.start("plain", Map.of("of", "old"), BY), "COMPLETED");
  }

  @Test
  void callersThatStartOneRunAtTheSameMomentAllGetItsEnd() throws Exception {
    Jobs runs = context.getBean(Jobs.class);
    int callers = 4;
    try (ExecutorService threads = Executors.newFixedThreadPool(callers)) {
      for (int round = 0; round < 15; round++) {
        Map<String, String> parameters = Map.of("of", "moment " + round);
        CyclicBarrier together = new CyclicBarrier(callers);
        Callable<String> call =
            () -> {
              together.await();
              try {
                return runs.runAndWait("plain", new HashMap<>(parameters)).getStatus().name();
              } catch (JobRefused refused) {
                return refused.reason().name();
              }
            };
        for (Future<String> end : threads.invokeAll(Collections.nCopies(callers, call))) {
          assertThat(end.get()).isIn("COMPLETED", "ALREADY_COMPLETE");
        }
      }
    }
  }

  /** What {@link OwnedJobRepository} adds, and why. */
  @Test
  void theVersionColumnFencesOnlyTheRunningStepAndTheOwnerFencesTheNextOneToo() throws Exception {
    JobRepository bare = bareRepository();
    JobExecution zombie = execution(bare, "bare");
    StepExecution step = bare.createStepExecution("first", zombie);
    step.setStatus(BatchStatus.STARTED);
    bare.update(step);
    recover(bare, zombie.getId());
    assertThatThrownBy(() -> bare.update(step))
        .isInstanceOf(OptimisticLockingFailureException.class);
    assertThat(bare.createStepExecution("second", zombie).getId()).isPositive();

    JobRepository owned = context.getBean(JobRepository.class);
    JobExecution lost = execution(owned, "owned");
    StepExecution running = owned.createStepExecution("first", lost);
    database.update(
        "update forebay.job_owner set runner = 'another' where job_execution_id = ?", lost.getId());
    assertThatThrownBy(() -> owned.update(running)).isInstanceOf(JobTakenOver.class);
    assertThatThrownBy(() -> owned.update(lost)).isInstanceOf(JobTakenOver.class);
    assertThatThrownBy(() -> owned.createStepExecution("second", lost))
        .isInstanceOf(JobTakenOver.class);
    assertThatThrownBy(() -> owned.updateExecutionContext(running))
        .isInstanceOf(JobTakenOver.class);
    running.setStatus(BatchStatus.COMPLETED);
    owned.update(running);
    assertThat(running.getStatus()).as("it goes on elsewhere").isEqualTo(BatchStatus.STOPPED);
    assertThat(owned.getStepExecution(running.getId()).getStatus())
        .as("nothing was written")
        .isEqualTo(BatchStatus.STARTING);
    refused(Reason.ALIVE, "live process", () -> jobs.recover(lost.getId(), BY));
    context.getBean(Owners.class).letGo(lost.getId()); // when the thread here has ended
    assertThat(jobs.recover(lost.getId(), BY).state()).isEqualTo("FAILED");
  }

  private static JobRepository bareRepository() throws Exception {
    JdbcJobRepositoryFactoryBean factory = new JdbcJobRepositoryFactoryBean();
    factory.setDataSource(database.getDataSource());
    factory.setTransactionManager(
        context.getBean("forebayJobsTransactionManager", PlatformTransactionManager.class));
    factory.setTablePrefix("forebay.batch_");
    factory.setDatabaseType("HSQL");
    factory.setIncrementerFactory(
        new OwnedRepositoryFactory.EmbeddedSequences(database.getDataSource()));
    factory.afterPropertiesSet();
    return factory.getObject();
  }

  private static JobExecution execution(JobRepository repository, String name) {
    JobExecution execution =
        repository.createJobExecution(
            repository.createJobInstance(name, new JobParameters()),
            new JobParameters(),
            new ExecutionContext());
    execution.setStatus(BatchStatus.STARTED);
    repository.update(execution);
    return execution;
  }

  private static void recover(JobRepository repository, long id) {
    JobExecution other = repository.getJobExecution(id);
    other.setStatus(BatchStatus.FAILED);
    other
        .getStepExecutions()
        .forEach(step -> {
          step.setStatus(BatchStatus.FAILED);
          repository.update(step);
        });
    repository.update(other);
  }

  @Test
  void runAndWaitReturnsTheEndAndResumesAFailedRun() throws Exception {
    Jobs waiting = context.getBean(Jobs.class);
    TestJobs.failAt = 13;
    assertThat(waiting.runAndWait("rows", run("waits")).getStatus()).isEqualTo(BatchStatus.FAILED);
    assertThat(waiting.runAndWait("rows", run("waits")).getStatus())
        .isEqualTo(BatchStatus.COMPLETED);
    assertThat(database.queryForList("select number from job_rows where run = 'waits'", Long.class))
        .hasSize(20)
        .doesNotHaveDuplicates();
    assertThatThrownBy(() -> waiting.runAndWait("rows", run("waits")))
        .isInstanceOfSatisfying(
            JobRefused.class, e -> assertThat(e.reason()).isEqualTo(Reason.ALREADY_COMPLETE));
  }

  @Test
  void aStoppingProcessHoldsItsLockWhileItsJobsRun() {
    try (TestPostgres postgres = TestPostgres.shared();
        ProcessLock lock = new ProcessLock(postgres.owner(), "stopping", true, LONG)) {
      JdbcTemplate server = new JdbcTemplate(postgres.superuser());
      JobsLifecycle stopping = lifecycle(lock, JobsProperties.Recover.NONE, Duration.ZERO);
      TestJobs.gate = new CountDownLatch(1);
      JobExecutionView slow = jobs.start("rows", run("slow"), BY);
      await().until(() -> TestJobs.atGate, "slow"::equals);
      stopping.start();
      await().until(() -> sessionsWithLocks(server).size() == 1);
      stopping.stop();
      List<Integer> first = sessionsWithLocks(server);
      assertThat(first).hasSize(1);

      server.queryForList("select pg_terminate_backend(?)", first.getFirst());
      await()
          .until(
              () -> sessionsWithLocks(server),
              now -> now.size() == 1 && Collections.disjoint(now, first));

      TestJobs.gate.countDown();
      ends(slow, "STOPPED");
      await().until(() -> context.getBean(Executions.class).running().isEmpty());
      stopping.stop();
      await().until(() -> sessionsWithLocks(server).isEmpty());
    } finally {
      TestJobs.gate.countDown();
      context.getBean(JobsLifecycle.class).start();
    }
  }

  private static List<Integer> sessionsWithLocks(JdbcTemplate server) {
    return server.queryForList(
        "select pid from pg_locks where locktype = 'advisory' and database ="
            + " (select oid from pg_database where datname = current_database())",
        Integer.class);
  }

  @Test
  void anInterruptStopsTheJobAtTheEndOfItsChunk() throws Exception {
    TestJobs.gate = new CountDownLatch(1);
    FutureTask<BatchStatus> status =
        new FutureTask<>(
            () -> context.getBean(Jobs.class).runAndWait("rows", run("interrupted")).getStatus());
    Thread runs = Thread.ofPlatform().start(status);
    await().until(() -> TestJobs.atGate, "interrupted"::equals);
    runs.interrupt();
    await().until(() -> jobs.job("rows").orElseThrow().last().state(), "STOPPING"::equals);
    TestJobs.gate.countDown();
    assertThat(status.get(LONG.toSeconds(), TimeUnit.SECONDS)).isEqualTo(BatchStatus.STOPPED);
    assertThat(
            database.queryForObject(
                "select count(*) from job_rows where run = 'interrupted'", Long.class))
        .isEqualTo(TestJobs.CHUNK);
  }
}
