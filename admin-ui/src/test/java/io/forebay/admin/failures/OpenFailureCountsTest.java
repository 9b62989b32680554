/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.clearInvocations;
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
import io.forebay.report.OpenFailures;
import io.forebay.service.progress.Unavailable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OpenFailureCountsTest {

  private final Services services = mock();
  private final Failures failures = mock();
  private Instant now = Instant.parse("2026-11-27T03:00:00Z");
  private final OpenFailureCounts open = new OpenFailureCounts(services, failures, () -> now);

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
    when(view.counts()).thenReturn(counts(failed, 0));
    ServiceOperations found = services.find(service).orElseThrow();
    when(found.view()).thenReturn(view);
  }

  private static ServiceCounts counts(long failed, long dead) {
    return new ServiceCounts(20_000, failed, dead, 0, 0);
  }

  private Optional<OpenFailures.Open> of(String service) {
    return open.of(service, services.find(service).orElseThrow().view().counts());
  }

  private void areOpen(String service, long count) {
    doReturn(count).when(failures).count(eq(service), eq(Failure.State.OPEN), anyInt());
  }

  @Test
  void countsThoseFromBeforeTheStart() {
    assertThat(of("orders")).as("not counted yet").isEmpty();
    areOpen("orders", 10_001);
    open.count();
    assertThat(of("orders")).contains(new OpenFailures.Open(10_000, true));
    assertThat(of("stock")).contains(new OpenFailures.Open(0, false));
    verify(failures).count("orders", Failure.State.OPEN, 10_001);
    areOpen("orders", 10_000);
    failedInAll("orders", 5);
    clearInvocations(failures);
    open.count();
    verifyNoInteractions(failures); // more are shown alike
    now = now.plusSeconds(5);
    open.count();
    assertThat(of("orders")).contains(new OpenFailures.Open(10_000, false));
  }

  /** The alert has the same counts of the same second. */
  @Test
  void thoseThatFailInThisProcessCountAtOnce() {
    failedInAll("orders", 12);
    areOpen("orders", 15);
    open.count();
    assertThat(open.of("orders", counts(18, 2))).contains(new OpenFailures.Open(23, false));
    assertThat(open.of("orders", counts(10, 0)))
        .as("counted after the sample")
        .contains(new OpenFailures.Open(13, false));
    assertThat(open.of("orders", counts(10_000, 0))).contains(new OpenFailures.Open(10_000, true));
  }

  @Test
  void asksAtOnceAfterAFailureSoonWhileSomeAreOpenAndSeldomOtherwise() {
    areOpen("orders", 1);
    open.count();
    clearInvocations(failures);
    now = now.plusSeconds(4);
    open.count();
    verifyNoInteractions(failures);
    failedInAll("stock", 1);
    areOpen("stock", 1);
    clearInvocations(failures);
    open.count();
    assertThat(of("stock").orElseThrow().count()).isEqualTo(1);
    now = now.plusSeconds(1);
    areOpen("orders", 0); // replayed
    open.count();
    assertThat(of("orders").orElseThrow().count()).isZero();
    areOpen("orders", 3); // at another instance
    now = now.plusSeconds(59);
    open.count();
    assertThat(of("orders").orElseThrow().count()).isZero();
    now = now.plusSeconds(1);
    open.count();
    assertThat(of("orders").orElseThrow().count()).isEqualTo(3);
  }

  @Test
  void aDatabaseThatDoesNotRespondKeepsItsCountsAndNotThoseOfOthers() {
    areOpen("orders", 1);
    open.count();
    doThrow(new Unavailable("it is away", null))
        .when(failures)
        .count(eq("orders"), any(), anyInt());
    areOpen("stock", 5);
    now = now.plusSeconds(60);
    assertThatThrownBy(open::count).isInstanceOf(Unavailable.class);
    assertThat(of("orders").orElseThrow().count()).isEqualTo(1);
    assertThat(of("stock").orElseThrow().count()).isEqualTo(5);
  }

  @Test
  void findsTheCauseOfMostFailuresOnlyIfManyFail() {
    open.count();
    failedInAll("orders", 9);
    open.count();
    assertThat(open.most("orders")).isEmpty();
    verify(failures, never()).groups(any(), any());
    Failures.Cause most = new Failures.Cause("orders.add", "constraint qty_positive");
    doReturn(List.of(group(Failures.Cause.UNKNOWN, 3), group(most, 16)))
        .when(failures)
        .groups("orders", now.minusSeconds(60));
    failedInAll("orders", 28);
    open.count();
    assertThat(open.most("orders").map(Failures.Group::cause)).contains(most);
  }

  @Test
  void keepsTheCauseUntilManyMoreFail() {
    Failures.Cause first = new Failures.Cause("orders.add", "constraint qty_positive");
    Failures.Cause second = new Failures.Cause("orders.move", null);
    doReturn(List.of(group(first, 10))).when(failures).groups(eq("orders"), any());
    failedInAll("orders", 10);
    open.count();
    clearInvocations(failures);
    doReturn(List.of(group(second, 9))).when(failures).groups(eq("orders"), any());
    failedInAll("orders", 16);
    open.count();
    now = now.plusSeconds(60);
    open.count();
    assertThat(open.most("orders").map(Failures.Group::cause)).as("few more").contains(first);
    verify(failures, never()).groups(any(), any());
    failedInAll("orders", 20);
    open.count();
    assertThat(open.most("orders").map(Failures.Group::cause)).contains(second);
    doReturn(List.of()).when(failures).groups(eq("orders"), any());
    failedInAll("orders", 30);
    open.count();
    assertThat(open.most("orders").map(Failures.Group::cause)).as("replayed").contains(second);
  }

  private Failures.Group group(Failures.Cause cause, long lastMinute) {
    return new Failures.Group(
        "orders", "23514", cause, "", lastMinute, false, lastMinute, now, now);
  }
}
