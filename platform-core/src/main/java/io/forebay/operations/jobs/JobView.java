/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.jobs;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch job.
 *
 * @param description what it does; empty if it was not described
 * @param described whether {@code parameters} lists all parameters; if not, the job accepts any
 * @param nextDue when a schedule of this process starts it next; null if none does
 * @param last its newest running execution or, if none runs, its newest one, with its steps; null
 *     if it was never started
 */
public record JobView(
    String name,
    String description,
    boolean described,
    List<Parameter> parameters,
    @Nullable Instant nextDue,
    @Nullable JobExecutionView last) {

  public JobView {
    parameters = List.copyOf(parameters);
  }

  /**
   * A parameter that a job takes.
   *
   * @param type {@code text}, {@code integer}, {@code decimal}, {@code date} or {@code time}
   * @param identifying whether another value means another run of the job
   * @param byDefault the value if none is given; null if there is none
   */
  public record Parameter(
      String name,
      String type,
      boolean required,
      boolean identifying,
      @Nullable String byDefault,
      String description) {}
}
