/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.clearInvocations;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import io.forebay.operations.ServiceCounts;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.ServiceView;
import io.forebay.operations.Services;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OpenFailuresTest {

  private final Services services = mock();
  private final Failures statements = mock();
  private final Failures letters = mock();
  private Instant now = Instant.parse("2026-11-27T03:00:00Z");
  private final OpenFailures open = new OpenFailures(services, statements, letters, () -> now);

  @BeforeEach
  void twoServices() {
    ServiceOperations orders = service("orders");
    ServiceOperations stock = service("stock");
    doReturn(List.of(orders, stock)).when(services).all();
    doReturn(Optional.of(orders)).when(services).find("orders");
    doReturn(Optional.of(stock)).when(services).find("stock");
    failedInAll("orders", 0);
    failedInAll("stock", 0);
  }

  private static ServiceOperations service(String name) {
    ServiceOperations service = mock();
    when(service.name()).thenReturn(name);
    return service;
  }

  private void failedInAll(String service, long failed) {
    ServiceView view = mock();
    when(view.counts()).thenReturn(new ServiceCounts(1000, failed, 0, 0, 0));
    ServiceOperations found = services.find(service).orElseThrow();
    when(found.view()).thenReturn(view);
  }

  private static void areOpen(Failures failures, String service, long count) {
    doReturn(count).when(failures).count(eq(service), eq(Failure.State.OPEN), anyInt());
  }

  @Test
  void countsBothKindsAlsoFromBeforeTheStart() {
    assertThat(open.of("orders")).as("not counted yet").isEmpty();
    areOpen(statements, "orders", 10_001);
    areOpen(letters, "orders", 2);
    open.count();
    assertThat(open.of("orders")).contains(new OpenFailures.Open(10_000, 2, true));
    assertThat(open.of("stock")).contains(new OpenFailures.Open(0, 0, false));
    verify(statements).count("orders", Failure.State.OPEN, 10_001);
    areOpen(statements, "orders", 10_000);
    failedInAll("orders", 5);
    clearInvocations(statements);
    open.count();
    verifyNoInteractions(statements); // more are shown alike
    now = now.plusSeconds(5);
    open.count();
    assertThat(open.of("orders")).contains(new OpenFailures.Open(10_000, 2, false));
  }

  @Test
  void asksAtOnceAfterAFailureSoonWhileSomeAreOpenAndSeldomOtherwise() {
    areOpen(statements, "orders", 1);
    open.count();
    clearInvocations(statements);
    now = now.plusSeconds(4);
    open.count();
    verifyNoInteractions(statements);
    failedInAll("stock", 1);
    areOpen(statements, "stock", 1);
    clearInvocations(statements);
    open.count();
    assertThat(open.of("stock").orElseThrow().failed()).isEqualTo(1);
    now = now.plusSeconds(1);
    areOpen(statements, "orders", 0); // replayed
    open.count();
    assertThat(open.of("orders").orElseThrow().failed()).isZero();
    areOpen(statements, "orders", 3); // at another instance
    now = now.plusSeconds(59);
    open.count();
    assertThat(open.of("orders").orElseThrow().failed()).isZero();
    now = now.plusSeconds(1);
    open.count();
    assertThat(open.of("orders").orElseThrow().failed()).isEqualTo(3);
  }

  @Test
  void stoppingDoesNotWaitForADatabaseThatHangs() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    doAnswer(
            _ -> {
              asked.countDown();
              answered.await();
              return 0L;
            })
        .when(statements)
        .count(any(), any(), anyInt());
    open.start();
    assertThat(asked.await(10, TimeUnit.SECONDS)).isTrue();
    try {
      assertTimeoutPreemptively(Duration.ofSeconds(20), () -> open.stop());
    } finally {
      answered.countDown();
    }
  }

  @Test
  void aDatabaseThatDoesNotRespondKeepsItsCountsAndNotThoseOfOthers() {
    areOpen(statements, "orders", 1);
    open.count();
    doThrow(new Unavailable("it is away", null))
        .when(statements)
        .count(eq("orders"), any(), anyInt());
    areOpen(statements, "stock", 5);
    now = now.plusSeconds(60);
    assertThatThrownBy(open::count).isInstanceOf(Unavailable.class);
    assertThat(open.of("orders").orElseThrow().failed()).isEqualTo(1);
    assertThat(open.of("stock").orElseThrow().failed()).isEqualTo(5);
  }

  @Test
  void findsTheCauseOfMostFailuresOnlyIfManyFail() {
    open.count();
    failedInAll("orders", 9);
    open.count();
    assertThat(open.most("orders")).isEmpty();
    verify(statements, never()).groups(any(), any());
    Failures.Cause most = new Failures.Cause("orders.add", "constraint qty_positive");
    doReturn(List.of(group(Failures.Cause.UNKNOWN, 3), group(most, 16)))
        .when(statements)
        .groups("orders", now.minusSeconds(60));
    failedInAll("orders", 28);
    open.count();
    assertThat(open.most("orders").map(Failures.Group::cause)).contains(most);
  }

  @Test
  void keepsTheCauseUntilManyMoreFail() {
    Failures.Cause first = new Failures.Cause("orders.add", "constraint qty_positive");
    Failures.Cause second = new Failures.Cause("orders.move", null);
    doReturn(List.of(group(first, 10))).when(statements).groups(eq("orders"), any());
    failedInAll("orders", 10);
    open.count();
    clearInvocations(statements);
    doReturn(List.of(group(second, 9))).when(statements).groups(eq("orders"), any());
    failedInAll("orders", 16);
    open.count();
    now = now.plusSeconds(60);
    open.count();
    assertThat(open.most("orders").map(Failures.Group::cause)).as("few more").contains(first);
    verify(statements, never()).groups(any(), any());
    failedInAll("orders", 20);
    open.count();
    assertThat(open.most("orders").map(Failures.Group::cause)).contains(second);
    doReturn(List.of()).when(statements).groups(eq("orders"), any());
    failedInAll("orders", 30);
    open.count();
    assertThat(open.most("orders").map(Failures.Group::cause)).as("replayed").contains(second);
  }

  private Failures.Group group(Failures.Cause cause, long lastMinute) {
    return new Failures.Group(
        "orders", "23514", cause, "", lastMinute, false, 0, lastMinute, now, now);
  }
}
