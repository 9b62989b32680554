/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import io.forebay.capacity.Alert.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Decides which changes of alerts this instance reports. Of the instances that see the same alert,
 * the first by name does; each learns within seconds what the others have reported. If the first
 * one does not report it within a minute, the next one does. While instances cannot exchange
 * anything, each reports what it sees. Alerts of a host are reported by its instance.
 *
 * @param self the name of this instance
 * @param peers the other instances
 * @param least the least severity that is reported
 */
record Duty(String self, List<Peers.Peer> peers, Severity least) {

  /** Long enough to learn what the others see at the same time. */
  static final Duration EXCHANGED = Duration.ofSeconds(3);

  static final Duration PATIENCE = Duration.ofMinutes(1);

  Optional<Notice.Event> event(AlertRecord alert, Instant now) {
    return pending(alert).filter(event -> isMine(alert, event, now));
  }

  private Optional<Notice.Event> pending(AlertRecord alert) {
    AlertRecord.Reported reported = alert.reported();
    if (alert.closed() != null) {
      return reported.severity() == null || reported.closed()
          ? Optional.empty()
          : Optional.of(Notice.Event.CLOSED);
    }
    if (alert.severity().compareTo(least) < 0 || reported.covers(alert.severity())) {
      return Optional.empty();
    }
    return Optional.of(reported.severity() == null ? Notice.Event.OPENED : Notice.Event.WORSE);
  }

  private boolean isMine(AlertRecord alert, Notice.Event event, Instant now) {
    if (alert.kind().isOfHost()) {
      return true;
    }
    if (event == Notice.Event.CLOSED && peers.stream().anyMatch(it -> isOpenAt(it, alert))) {
      return false; // it is not over
    }
    List<Peers.Peer> before = peers.stream().filter(it -> it.name().compareTo(self) < 0).toList();
    boolean seenBefore = before.stream().anyMatch(it -> isSeenAt(it, alert));
    Duration wait = seenBefore ? PATIENCE : before.isEmpty() ? Duration.ZERO : EXCHANGED;
    boolean wasSetBack = now.isBefore(alert.changed());
    return wasSetBack || !now.isBefore(alert.changed().plus(wait));
  }

  private static boolean isOpenAt(Peers.Peer peer, AlertRecord alert) {
    return peer.alerts().stream().anyMatch(it -> it.id().equals(alert.id()) && it.closed() == null);
  }

  private static boolean isSeenAt(Peers.Peer peer, AlertRecord alert) {
    return peer.alerts().stream()
        .anyMatch(it ->
            it.id().equals(alert.id()) && (it.closed() == null || isAfter(it.closed(), alert)));
  }

  private static boolean isAfter(Instant end, AlertRecord alert) {
    return end.isAfter(alert.opened());
  }
}
