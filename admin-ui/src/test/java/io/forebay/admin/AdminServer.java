/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.hosting.HostedService;
import io.forebay.operations.DesiredState;
import io.forebay.operations.DesiredStates;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.StoredFailures;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.service.errors.BlockingMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.context.support.GenericApplicationContext;

/** A server with desired states, failures and jobs in memory. */
public abstract class AdminServer extends TestServer {

  protected final StoredFailures failures = new StoredFailures();
  final RecordedJobs jobs = new RecordedJobs();
  protected final List<String> failed = new ArrayList<>();
  protected @Nullable BlockingMessage waitsFor;

  @Override
  protected void beans(GenericApplicationContext it) {
    super.beans(it);
    it.registerBean(Failures.class, () -> new Failures(List.of(failures)));
    it.registerBean(JobOperations.class, jobs::operations);
  }

  @Override
  protected Services services() {
    return new Services(List.of(operations()), new Stored());
  }

  /** Desired states in memory. */
  private static final class Stored implements DesiredStates {

    private final Map<String, DesiredState> states = new ConcurrentHashMap<>();

    @Override
    public List<DesiredState> all() {
      return List.copyOf(states.values());
    }

    @Override
    public void keep(DesiredState desired) {
      states.put(desired.service(), desired);
    }

    @Override
    public DesiredState pause(DesiredState desired, @Nullable Instant replaces) {
      DesiredState before = states.get(desired.service());
      if (before != null && before.paused() && !before.at().equals(replaces)) {
        return before;
      }
      DesiredState stored = before == null ? desired : desired.replacing(before);
      keep(stored);
      return stored;
    }

    @Override
    public boolean end(DesiredState pause, DesiredState running) {
      return states.replace(pause.service(), pause, running);
    }
  }

  /** The service, whose partition waits for a message as the test says. */
  private ServiceOperations operations() {
    return new HostedService<>(service) {
      @Override
      protected @Nullable BlockingMessage waitsFor(int partition) {
        return waitsFor;
      }

      @Override
      public boolean failMessage(int partition, long position, String reason) {
        return fail(partition, position, reason);
      }
    };
  }

  private boolean fail(int partition, long position, Object reason) {
    boolean waits = waitsFor != null && waitsFor.position() == position;
    if (waits) {
      failed.add("%d/%d %s".formatted(partition, position, reason));
    }
    return waits;
  }
}
