/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static io.forebay.operations.jobs.JobRefused.Reason.ALREADY_COMPLETE;

import io.forebay.machine.CrashPoint;
import io.forebay.operations.Actor;
import io.forebay.operations.StartRefused;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobRefused;
import io.forebay.service.progress.Unavailable;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** An application with jobs in its own process, controlled by commands, one per line. */
public final class JobProcess {

  private static final Actor BY = new Actor(Actor.Kind.APPLICATION, "tester", "operator", "local");

  private JobProcess() {}

  /** The environment variable that names a crash point. */
  public static final String CRASH_POINT = "CRASH_POINT_OF_TESTS";

  public static void main(String[] arguments) throws Exception {
    arm();
    SpringApplication application = new SpringApplication(TestJobs.class);
    application.setWebApplicationType(WebApplicationType.NONE);
    ConfigurableApplicationContext context = application.run(arguments);
    String job = context.getEnvironment().getProperty("run");
    if (job != null) {
      int exitCode = run(jobs(context), job, arguments);
      System.exit(SpringApplication.exit(context, () -> exitCode));
    }
    JobOperations jobs = context.getBean(JobOperations.class);
    JdbcTemplate rows =
        new JdbcTemplate(context.getBean("forebayJobsDataSource", DataSource.class));
    Executions executions = context.getBean(Executions.class);
    System.out.println("> ready");
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ", -1);
      System.out.println(
          "> "
              + switch (words[0]) {
                case "threads" -> executions.running().size();
                case "rows" -> count(rows, "count(*)", words[1]);
                case "different" -> count(rows, "count(distinct number)", words[1]);
                default -> answer(jobs, words);
              });
    }
  }

  private static Jobs jobs(ConfigurableApplicationContext context) {
    return context.getEnvironment().containsProperty("impatient")
        ? new RepositoryJobs(
            context.getBean(Starter.class),
            context.getBean(JobRepository.class),
            context.getBean(Executions.class),
            context.getBean(Owners.class),
            context.getBean(DescribedJobs.class),
            Duration.ofSeconds(1))
        : context.getBean(Jobs.class);
  }

  /** Exit code of a run that was refused. */
  static final int REFUSED = 2;

  /** Exit code if the system database did not respond. */
  static final int UNAVAILABLE = 4;

  /** Runs a job to its end; its parameters are the arguments without {@code --}. */
  private static int run(Jobs jobs, String job, String[] arguments) throws InterruptedException {
    Map<String, String> parameters =
        Stream.of(arguments)
            .filter(it -> !it.startsWith("--"))
            .map(it -> it.split("=", 2))
            .collect(Collectors.toMap(it -> it[0], it -> it[1]));
    try {
      return jobs.runAndWait(job, new HashMap<>(parameters)).getStatus() == BatchStatus.COMPLETED
          ? 0
          : 1;
    } catch (JobRefused | StartRefused e) {
      System.out.println(e.getMessage());
      return e instanceof JobRefused refused && refused.reason() == ALREADY_COMPLETE ? 0 : REFUSED;
    } catch (Unavailable e) {
      System.out.println(e.getMessage());
      return UNAVAILABLE;
    }
  }

  /**
   * Arms the crash point of the environment. The configuration check refuses the property, so it is
   * there only while the class is loaded.
   */
  public static void arm() {
    String point = System.getenv(CRASH_POINT);
    if (point != null) {
      System.setProperty("forebay.crash-point", point);
      CrashPoint.hit("armed");
      System.clearProperty("forebay.crash-point");
    }
  }

  private static long count(JdbcTemplate rows, String what, String run) {
    return rows.queryForObject("select " + what + " from job_rows where run = ?", Long.class, run);
  }

  private static String answer(JobOperations jobs, String[] words) {
    try {
      return switch (words[0]) {
        case "start" ->
            text(
                jobs.start(
                    "rows", Map.of("run", words[1], "items", words[2], "pause", words[3]), BY));
        case "stop" -> text(jobs.stop(Long.parseLong(words[1]), BY));
        case "restart" -> text(jobs.restart(Long.parseLong(words[1]), BY));
        case "recover" -> text(jobs.recover(Long.parseLong(words[1]), BY));
        case "state" ->
            jobs.execution(Long.parseLong(words[1])).map(JobProcess::text).orElse("none");
        default -> throw new IllegalArgumentException(words[0]);
      };
    } catch (JobRefused e) {
      return e.reason().name();
    } catch (Unavailable e) {
      return "UNAVAILABLE";
    }
  }

  private static String text(JobExecutionView view) {
    return view.id() + " " + view.state() + (view.dead() ? " dead" : "");
  }
}
