/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.step.StepExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/**
 * The idempotency keys of the calls that a body makes for one item. A call with side effects
 * carries one: if the process dies or the step fails before the item is written, the restarted job
 * runs the body again and makes the same call with the same key.
 *
 * <p>A key consists of the job's name, its instance, the step, the item's identity, and the number
 * of keys that the body asked for before. It is therefore the same in every execution of a job
 * instance, as long as the body makes its calls in the same order. It also contains a random text
 * of the instance: a recreated job repository counts its instances from 1 again, while the services
 * still remember the earlier keys. Used by the body's thread only.
 */
public final class CallKeys {

  /** Key in the execution context of a job, set by the job repository of Forebay: a random text. */
  public static final String RANDOM = "forebay.random";

  /**
   * Key in the execution context of a job, set by the job repository of Forebay: how long services
   * remember keys, in milliseconds.
   */
  public static final String KEPT = "forebay.keys-kept";

  /**
   * Key in the execution context of a step: when it last committed, or first began, in
   * milliseconds. No key of the chunk that a restart repeats is older.
   */
  public static final String SINCE = "forebay.keys-since";

  /** The keys that the HTTP door and the gateways accept. */
  private static final Pattern ALLOWED = Pattern.compile("[\\x20-\\x7e]{1,255}");

  private final @Nullable StepExecution step;
  private final Object identity;
  private int next;

  CallKeys(@Nullable StepExecution step, Object identity) {
    this.step = step;
    this.identity = identity;
  }

  /**
   * Refuses to repeat a chunk whose keys services may have forgotten.
   *
   * @throws IllegalStateException if the step last committed longer ago than services remember keys
   */
  static void mustBeRemembered(StepExecution step) {
    ExecutionContext context = step.getExecutionContext();
    if (!context.containsKey(SINCE)) {
      return;
    }
    Instant since = Instant.ofEpochMilli(context.getLong(SINCE));
    Duration kept = Duration.ofMillis(jobContext(step).getLong(KEPT, Long.MAX_VALUE));
    if (Duration.between(since, Instant.now()).compareTo(kept) > 0) {
      throw new IllegalStateException(
          ("step %s is not restarted: it last committed at %s, after %,d items, and services"
                  + " remember keys for %s (forebay.jobs.keys-kept); calls for the chunk after these"
                  + " items may have taken effect and would take effect again. Find out which did,"
                  + " then abandon this run, or restart it with a longer forebay.jobs.keys-kept")
              .formatted(
                  step.getStepName(),
                  since.truncatedTo(ChronoUnit.SECONDS),
                  context.getLong(JobProgress.EARLIER, 0),
                  Formats.duration(kept)));
    }
  }

  private static ExecutionContext jobContext(StepExecution step) {
    return step.getJobExecution().getExecutionContext();
  }

  /**
   * Returns the key of the next call.
   *
   * @throws IllegalStateException if the processor does not run in a step
   * @throws IllegalArgumentException if the key is not 1 to 255 printable ASCII characters
   */
  public String next() {
    if (step == null) {
      throw new IllegalStateException("no step runs, so calls have no keys");
    }
    String random = jobContext(step).getString(RANDOM, "");
    String key =
        "%s/%d%s/%s/%s/%d"
            .formatted(
                step.getJobExecution().getJobInstance().getJobName(),
                step.getJobExecution().getJobInstance().getInstanceId(),
                random.isEmpty() ? "" : "-" + random,
                step.getStepName(),
                identity,
                next);
    if (!ALLOWED.matcher(key).matches()) {
      throw new IllegalArgumentException(
          "the key of a call has %,d characters; 1 to 255 printable ASCII characters are allowed;"
                  .formatted(key.length())
              + " identify items by something shorter");
    }
    next++;
    return key;
  }
}
