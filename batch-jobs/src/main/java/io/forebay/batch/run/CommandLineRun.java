/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.run;

import io.forebay.batch.PartitionedStepBuilder;
import io.forebay.batch.jobs.Jobs;
import io.forebay.operations.StartRefused;
import io.forebay.operations.jobs.JobRefused;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.ExitCodeGenerator;

/**
 * Runs the job that {@code forebay.jobs.run} names, when the application has started, and logs a
 * summary. Parameters are the arguments of the form {@code name=value}. The exit code of the
 * process is the one of this class if its main method calls {@code System.exit} with the result of
 * {@code SpringApplication.exit}.
 */
final class CommandLineRun implements ApplicationRunner, ExitCodeGenerator {

  private static final Logger log = LoggerFactory.getLogger(CommandLineRun.class);

  /** The run is complete, now or earlier. */
  static final int COMPLETED = 0;

  /** The job failed or its role has too many rights; the same command resumes it. */
  static final int FAILED = 1;

  /** The job is unknown, does not accept the parameters, or cannot be restarted. */
  static final int REFUSED = 2;

  /** The job was stopped; the same command resumes it. */
  static final int STOPPED = 3;

  /** The system database did not respond; the same command starts or resumes the job. */
  static final int UNAVAILABLE = 4;

  private final @Nullable Jobs jobs;
  private final String job;
  private volatile int exitCode;

  /**
   * @param jobs null if the application has no jobs
   */
  CommandLineRun(@Nullable Jobs jobs, String job) {
    this.jobs = jobs;
    this.job = job;
  }

  @Override
  public void run(ApplicationArguments arguments) {
    exitCode = FAILED; // whatever is thrown
    List<String> options =
        arguments.getOptionNames().stream()
            .filter(name -> !name.contains("."))
            .map("--"::concat)
            .sorted()
            .toList();
    exitCode = run(arguments.getNonOptionArgs(), options);
  }

  /**
   * @param options those that may be meant as parameters of the job
   */
  private int run(List<String> arguments, List<String> options) {
    try {
      if (jobs == null) {
        throw refused("This application has no jobs.");
      }
      JobExecution execution = jobs.runAndWait(job, parameters(arguments));
      summarize(execution);
      return switch (execution.getStatus()) {
        case COMPLETED -> COMPLETED;
        case STOPPED -> STOPPED;
        default -> FAILED;
      };
    } catch (JobRefused e) {
      return refused(e, options);
    } catch (StartRefused e) {
      log.error("Job {} not run: {}", job, e.getMessage());
      return FAILED;
    } catch (Unavailable e) {
      log.error("Job {} not run: {}", job, e.getMessage());
      return UNAVAILABLE;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return STOPPED;
    }
  }

  private int refused(JobRefused refused, List<String> options) {
    return switch (refused.reason()) {
      case ALREADY_COMPLETE -> {
        log.info("Job {} not run: {}", job, refused.getMessage());
        yield COMPLETED;
      }
      case NOT_RUNNING -> {
        log.info("Job {}: {}", job, refused.getMessage());
        yield STOPPED;
      }
      default -> {
        log.error(
            "Job {} refused: {}{}",
            job,
            options.isEmpty()
                ? ""
                : options + " set properties: a parameter of a job is given without --. ",
            refused.getMessage());
        yield REFUSED;
      }
    };
  }

  private static Map<String, @Nullable String> parameters(List<String> arguments) {
    Map<String, @Nullable String> parameters = new LinkedHashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      if (equals < 1) {
        throw refused("A parameter must have the form name=value.");
      }
      if (parameters.put(argument.substring(0, equals), argument.substring(equals + 1)) != null) {
        throw refused("A parameter is given twice.");
      }
    }
    return parameters;
  }

  private static JobRefused refused(String why) {
    return new JobRefused(JobRefused.Reason.INVALID_PARAMETERS, why);
  }

  private void summarize(JobExecution execution) {
    Duration took =
        execution.getStartTime() == null || execution.getEndTime() == null
            ? Duration.ZERO
            : Duration.between(execution.getStartTime(), execution.getEndTime());
    log.info(
        "Job {}, execution {}: {} after {} s",
        job,
        execution.getId(),
        execution.getStatus(),
        "%,.1f".formatted(took.toMillis() / 1e3));
    Map<String, Integer> partitions = new HashMap<>();
    List<StepExecution> steps = new ArrayList<>();
    for (StepExecution step : execution.getStepExecutions()) {
      Object whole = step.getExecutionContext().get(PartitionedStepBuilder.PARTITION_OF);
      if (whole == null) {
        steps.add(step);
      } else {
        partitions.merge(whole.toString(), 1, Integer::sum);
      }
    }
    for (StepExecution step : steps) {
      Integer parts = partitions.get(step.getStepName());
      log.info(
          "Step {}: {}{}, read {}, written {}, filtered {}, skipped {}, rollbacks {}",
          step.getStepName(),
          step.getStatus(),
          parts == null ? "" : ", %d partitions".formatted(parts),
          step.getReadCount(),
          step.getWriteCount(),
          step.getFilterCount(),
          step.getSkipCount(),
          step.getRollbackCount());
    }
    if (execution.getStatus().isUnsuccessful()) {
      log.error("Failure: {}", execution.getExitStatus().getExitDescription());
    }
  }

  @Override
  public int getExitCode() {
    return exitCode;
  }
}
