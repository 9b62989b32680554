/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Runway;
import io.forebay.capacity.Until;
import io.forebay.queue.QueueTrouble;
import io.forebay.service.ServiceState;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/** What an operator is told, in plain words. All sentences are made here. */
final class Sentences {

  private Sentences() {}

  /** Of a service that is behind, or will be. */
  static String behind(ServiceLook look) {
    Lag lag = look.lag();
    if (lag.state() == Lag.State.KEEPING_UP) {
      return "%s was behind and keeps up again.".formatted(look.name());
    }
    String limit = Words.duration(look.limit());
    boolean passed = lag.late().known().filter(it -> it instanceof Until.Passed).isPresent();
    return "%s is %s behind%s%s%s.%s"
        .formatted(
            look.name(),
            lag.behind().known().map(Words::duration).orElse("an unknown time"),
            passed ? ", past its %s limit,".formatted(limit) : "",
            direction(lag),
            rates(look),
            passed || catchesUp(lag) ? clear(lag) : late(lag, limit));
  }

  /** The oldest message still ages while those of a burst that is over are performed. */
  private static String direction(Lag lag) {
    if (catchesUp(lag)) {
      return " and catching up";
    }
    return switch (lag.state()) {
      case GROWING -> " and growing";
      case DRAINING -> " and catching up";
      case STEADY, KEEPING_UP -> " and steady";
      case PAUSED, UNKNOWN -> "";
    };
  }

  /** Whether fewer messages wait from second to second. */
  static boolean catchesUp(Lag lag) {
    return lag.state() == Lag.State.DRAINING
        || (lag.state() == Lag.State.GROWING
            && lag.clear().known().filter(it -> it instanceof Until.In).isPresent());
  }

  private static String rates(ServiceLook look) {
    return look.accepted()
        .with(
            look.performed(),
            (in, out) ->
                ": accepts %s/s, database performs %s/s"
                    .formatted(Words.number(in), Words.number(out)))
        .known()
        .orElse("");
  }

  private static String late(Lag lag, String limit) {
    return left(lag.late())
        .map(left -> " Passes its %s limit in about %s.".formatted(limit, left))
        .orElse("");
  }

  private static String clear(Lag lag) {
    return left(lag.clear())
        .map(left -> " Clear in about %s.".formatted(left))
        .orElse(" It does not catch up at this rate.");
  }

  private static Optional<String> left(Figure<Until> until) {
    return until
        .known()
        .filter(it -> it instanceof Until.In)
        .flatMap(Until::left)
        .map(Words::duration);
  }

  static String paused(ServiceLook look) {
    String who =
        look.desired()
            .filter(it -> it.paused())
            .map(it ->
                " by %s%s".formatted(it.by(), it.reason().isEmpty() ? "" : ": " + it.reason()))
            .orElse("");
    return "%s is paused%s. The oldest message has waited %s of %s; resume it, or tell who waits."
        .formatted(
            look.name(),
            who,
            look.lag().behind().known().map(Words::duration).orElse("an unknown time"),
            Words.duration(look.limit()));
  }

  static String failed(ServiceLook look) {
    return look.phase() == ServiceState.Phase.FENCED
        ? "%s was taken over by another instance; this one performs nothing of it."
            .formatted(look.name())
        : "%s has failed and performs nothing%s. It needs an operator."
            .formatted(look.name(), because(look));
  }

  static String waiting(ServiceLook look) {
    return "%s waits%s. %s; it goes on by itself."
        .formatted(
            look.name(),
            because(look),
            look.view().accepts()
                ? "Messages are accepted and kept"
                : "Messages are refused meanwhile");
  }

  static String stalled(ServiceLook look, QueueTrouble stall) {
    return "%s: %s.".formatted(look.name(), stall.text());
  }

  private static String because(ServiceLook look) {
    return look.reason().isEmpty() ? "" : ": " + look.reason();
  }

  /** If it is falling behind already, that is what it says. */
  static String busy(ServiceLook look, double share) {
    if (look.lag().state() == Lag.State.GROWING) {
      return behind(look);
    }
    return "%s keeps its database workers %s busy; little more can come in."
        .formatted(look.name(), Words.share(share));
  }

  static String loss(ServiceLook look) {
    return "%s: the oldest message that waits is deleted by its age%s, performed or not. Make it perform, or raise retention.ms."
        .formatted(
            look.name(), left(look.loss()).map(left -> " in " + left).orElse(" at any moment"));
  }

  static String burst(ServiceLook look) {
    return "%s stays on time for %s of a %s; such bursts last %s."
        .formatted(
            look.name(),
            room(look).map(Words::duration).orElse("an unknown time"),
            times(look),
            look.typicalBurst().known().map(Words::duration).orElse("an unknown time"));
  }

  /** How long the reference burst stays on time; empty if for ever or unknown. */
  static Optional<Duration> room(ServiceLook look) {
    return look.burst().then(BurstHeadroom::late).known().flatMap(Until::left);
  }

  static String times(ServiceLook look) {
    return look.burst()
        .map(BurstHeadroom::perSecond)
        .with(look.accepted(), (burst, now) -> now > 0 ? burst / now : 0.0)
        .known()
        .filter(times -> times >= 1)
        .map(times -> "%s× burst".formatted(Words.number(times)))
        .orElse("burst");
  }

  static String dead(ServiceLook look) {
    return "%s could not read %s in 15 minutes; see Failed."
        .formatted(look.name(), count(look.recently().deadLetters(), "message"));
  }

  static String failing(ServiceLook look) {
    return "%s answered %s of %s with a failure in 15 minutes; see Failed."
        .formatted(
            look.name(),
            Words.number(look.recently().failed()),
            count(look.recently().performed(), "statement"));
  }

  static String disk(String volume, Runway runway) {
    return "%s is full %s%s."
        .formatted(
            volume,
            runway.middle() instanceof Until.Never
                ? "at the worst in " + edge(runway.low())
                : "in about " + edge(runway.middle()),
            runway.middle() instanceof Until.Never || runway.low().equals(runway.middle())
                ? ""
                : ", at the worst in " + edge(runway.low()));
  }

  static String full(String volume) {
    return "%s is full: nothing more is accepted until there is room.".formatted(volume);
  }

  private static String edge(Until until) {
    return until.left().map(Words::duration).orElse("more than 30 days");
  }

  static String memory(double share) {
    return "Memory that waits for the disk is at %s of where the kernel slows writers."
        .formatted(Words.share(share));
  }

  static String instance(String name, Duration unseen) {
    return "Instance %s has not been seen for %s.".formatted(name, Words.duration(unseen));
  }

  static String count(long number, String what) {
    return "%s %s%s"
        .formatted(String.format(Locale.ROOT, "%,d", number), what, number == 1 ? "" : "s");
  }
}
