/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.step.StepExecution;

/**
 * The idempotency keys of the calls that a body makes for one item. A call that changes something
 * carries one: if the process dies, or the step fails, before the item is written, the restarted
 * job runs the body again, and the same call comes with the same key.
 *
 * <p>A key is made of the job's name, its instance, the step, the item's identity and how many keys
 * the body has asked for before. So it is the same in every execution of a job instance, as long as
 * the body makes its calls in the same order. If the step has a {@link RestartContext}, which it
 * should, the key also has a random text from the first execution of the step: a job repository
 * that was created anew counts its instances from 1 again, and the services remember the keys of
 * the one before it. Used by the thread of the body only.
 */
public final class CallKeys {

  /** What the door and the gateways take. */
  private static final Pattern ALLOWED = Pattern.compile("[\\x20-\\x7e]{1,255}");

  private final @Nullable StepExecution step;
  private final @Nullable Object identity;
  private int next;

  CallKeys(@Nullable StepExecution step, @Nullable Object identity) {
    this.step = step;
    this.identity = identity;
  }

  /**
   * The key of the next call.
   *
   * @throws IllegalStateException if the processor was not told how its items are identified, or
   *     does not run in a step
   * @throws IllegalArgumentException if the key would not be 1 to 255 printable characters of ASCII
   */
  public String next() {
    if (identity == null || step == null) {
      throw new IllegalStateException(
          step == null
              ? "no step runs, so calls have no keys"
              : "the processor does not know what identifies an item; tell it by identifiedBy(…)");
    }
    Object kept = step.getExecutionContext().get(RestartContext.KEPT);
    String key =
        "%s/%d%s/%s/%s/%d"
            .formatted(
                step.getJobExecution().getJobInstance().getJobName(),
                step.getJobExecution().getJobInstance().getInstanceId(),
                kept instanceof String random ? "-" + random : "",
                step.getStepName(),
                identity,
                next);
    if (!ALLOWED.matcher(key).matches()) {
      throw new IllegalArgumentException(
          "the key of a call has %,d characters; 1 to 255 of printable ASCII are allowed, so identify"
                  .formatted(key.length())
              + " items by something shorter");
    }
    next++;
    return key;
  }
}
