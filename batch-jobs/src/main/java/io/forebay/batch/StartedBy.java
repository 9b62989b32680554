/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import io.forebay.operations.Actor;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/**
 * Who started an execution of a job. The execution context of the job has it, so a step knows it
 * whichever thread or process performs the step.
 */
public final class StartedBy {

  /** The code of the application itself, which may do everything. */
  public static final Actor APPLICATION =
      new Actor(Actor.Kind.SYSTEM, "", Actor.SYSTEM.role(), Actor.SYSTEM.address());

  private static final String KIND = "forebay.started-by.kind";
  private static final String NAME = "forebay.started-by.name";
  private static final String ROLE = "forebay.started-by.role";
  private static final String ADDRESS = "forebay.started-by.address";

  private StartedBy() {}

  /**
   * A part of Forebay that starts executions. It acts for an operator, because no administrator
   * decides about this start.
   */
  public static Actor automatically(String name) {
    return new Actor(Actor.Kind.SYSTEM, name, "operator", Actor.SYSTEM.address());
  }

  /** Stores who starts an execution in the context of the job. */
  public static void put(ExecutionContext context, Actor by) {
    context.putString(KIND, by.kind().text());
    context.putString(NAME, by.name());
    context.putString(ROLE, by.role());
    context.putString(ADDRESS, by.address());
  }

  /**
   * Returns who started this execution; the system if the application itself did, also with a job
   * repository of its own.
   */
  public static Actor of(JobExecution execution) {
    ExecutionContext context = execution.getExecutionContext();
    String name = context.getString(NAME, "");
    return name.isEmpty()
        ? Actor.SYSTEM
        : new Actor(
            Actor.Kind.ofText(context.getString(KIND, "")),
            name,
            context.getString(ROLE, "none"),
            context.getString(ADDRESS, Actor.SYSTEM.address()));
  }
}
