/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

class ReadStartTest {

  private final ReadStart start = new ReadStart();

  private void read(long last, String... writers) {
    if (start.isBehind()) {
      start.writersNow(Set.of(writers));
    }
    start.handedOver(last);
  }

  @Test
  void advancesToRowsThatWereReadWhileNobodyWrote() {
    read(10);
    assertThat(start.id()).isZero();
    read(20);
    assertThat(start.id()).isEqualTo(10);
    read(30);
    assertThat(start.id()).isEqualTo(20);
  }

  @Test
  void waitsForTheTransactionsThatWroteWhileTheIdWasVisible() {
    read(10);
    read(20, "3/1", "4/7");
    read(30, "4/7", "3/2");
    assertThat(start.id()).as("4/7 is open").isZero();
    read(40, "3/3", "5/1");
    assertThat(start.id()).as("new transactions take higher ids").isEqualTo(10);
  }

  @Test
  void waitsForPreparedTransactionsWhoseNameHasChanged() {
    read(10);
    read(20, "4/7");
    read(30, "-1/745");
    assertThat(start.id()).isZero();
    read(40);
    assertThat(start.id()).isEqualTo(10);
  }

  @Test
  void passesNoRowThatTheLastReadDidNotReach() {
    read(10);
    read(20);
    read(5); // a late row, and a limited read
    assertThat(start.id()).isEqualTo(10);
    start.writersNow(Set.of());
    start.handedOver(12);
    assertThat(start.id()).isEqualTo(12);
  }

  @Test
  void followsToTheEndWhenNothingIsLeft() {
    read(10);
    assertThat(start.isBehind()).isTrue();
    start.writersNow(Set.of());
    start.handedOverAll();
    assertThat(start.id()).isEqualTo(10);
    assertThat(start.isBehind()).isFalse();
  }
}
